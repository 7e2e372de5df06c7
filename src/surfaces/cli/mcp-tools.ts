// The tools of an attempt: what each is for, in words for an agent, and what it asks of the run.
import * as z from "zod";
import { MarkRequest, type SocketAnswer, type SocketRequest } from "../../protocol/attempt-socket.ts";
import { toldWords } from "../../protocol/told.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}
export interface ToolBox {
  readonly list: readonly Tool[];
  /** Null: there is no such tool. */
  call(name: unknown, given: unknown): Promise<{ readonly ok: boolean; readonly text: string } | null>;
}

interface Definition {
  readonly about: string;
  readonly takes: z.ZodType;
  request(given: never): SocketRequest;
}

const define = <Takes extends z.ZodType>(
  about: string,
  takes: Takes,
  request: (given: z.output<Takes>) => SocketRequest,
): Definition => ({ about, takes, request });

const { command, dependsOn, ...wanted } = toldWords.add_task.shape;

const definitions: Readonly<Record<string, Definition>> = {
  checkpoint: define(
    "Mark a step of your task as done; the mark survives a crash. The same as printing a CHECKPOINT line.",
    MarkRequest.pick({ step: true, total: true, description: true }),
    (given) => ({ verb: "checkpoint", ...given }),
  ),
  handoff: define(
    "Leave what a successor with an empty context has to know to go on with this task: what is done, what was found out, what comes next. The last handoff counts. Use it before you end an unfinished turn.",
    toldWords.handoff,
    (given) => ({ verb: "handoff", ...given }),
  ),
  note: define(
    "Keep a remark with this task: the user sees it, and later attempts read it.",
    toldWords.note,
    (given) => ({ verb: "note", ...given }),
  ),
  inbox_add: define(
    "Put a finding that is worth more than this task into the project's inbox, for the user to look through.",
    toldWords.inbox_add,
    (given) => ({ verb: "inbox_add", ...given }),
  ),
  ask_human: define(
    "Ask the user something that can be answered with yes or no and a remark. Nobody answers at once: the answer is in a later brief.",
    toldWords.ask_human,
    (given) => ({ verb: "ask_human", ...given }),
  ),
  add_task: define(
    "Propose a further task for the plan. With `validate`, the command that would judge it, the user is asked first, unless that command judges a task already; without, the task waits until the user has given it one.",
    z.strictObject({ ...wanted, validate: command.unwrap().unwrap().optional(), depends_on: dependsOn }),
    ({ validate, depends_on, ...given }) => ({
      verb: "add_task",
      ...given,
      command: validate ?? null,
      dependsOn: depends_on,
    }),
  ),
};

export function createToolBox(ask: (request: SocketRequest) => Promise<SocketAnswer>): ToolBox {
  return {
    list: Object.entries(definitions).map(([name, { about, takes }]) => ({
      name,
      description: about,
      inputSchema: z.toJSONSchema(takes, { io: "input" }),
    })),
    async call(name, given) {
      if (typeof name !== "string" || !Object.hasOwn(definitions, name)) return null;
      const { takes, request } = definitions[name] as Definition;
      const parsed = takes.safeParse(given);
      if (!parsed.success) {
        const said = parsed.error.issues
          .slice(0, 5)
          .map(({ path, message }) => `${path.join(".") || name}: ${message}`);
        return { ok: false, text: said.join("\n").slice(0, 2_000) };
      }
      const answer = await ask(request(parsed.data as never));
      return answer.ok ? { ok: true, text: answer.said } : { ok: false, text: answer.error };
    },
  };
}
