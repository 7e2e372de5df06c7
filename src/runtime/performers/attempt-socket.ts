// Answers what the agent of an attempt asks over its socket, with that attempt's fence and rights and nothing else.
import { decide } from "../../core/decide/decide.ts";
import { toldAnswer } from "../../core/told-text.ts";
import { statusView } from "../../core/views/status.ts";
import { type SocketAnswer, SocketRequest } from "../../protocol/attempt-socket.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Told } from "../../protocol/told.ts";
import type { PerformingKind } from "./performing.ts";

type Answering = Pick<PerformingKind<"agent.run">, "effect" | "ports" | "state" | "checkpoint" | "tell" | "signal">;

const no = (error: string): SocketAnswer => ({ ok: false, error });
const because = ({ message, remedy }: Failure): SocketAnswer =>
  no(remedy === undefined ? message : `${message} – ${remedy}`);
/** More marks than any work has steps: past them an agent only fills the journal. */
const mostMarks = 1_000;

/** For one iteration of an agent. */
export function answerAgent(performing: Answering): (line: string) => Promise<string> {
  let marks = 0;
  const answerTo = async (line: string): Promise<SocketAnswer> => {
    const request = parse(line);
    if (typeof request === "string") return no(request);
    if (request.verb === "status") return { ok: true, view: statusView(performing.state), said: "" };
    if (performing.signal.aborted) return no("this attempt is being stopped");
    if (request.verb !== "checkpoint") return take(performing, request);
    const { task = performing.effect.task, step, total, description } = request;
    if (task !== performing.effect.task) return no(`${task} is not the task of this attempt`);
    marks += 1;
    if (marks > mostMarks) return no(`${mostMarks} checkpoints were made in this iteration: that is all`);
    return mark(performing, { step, total, description });
  };
  return async (line) => JSON.stringify(await answerTo(line));
}

async function mark(
  { effect, ports, checkpoint }: Answering,
  { step, total, description }: { readonly step: number; readonly total: number; readonly description: string },
): Promise<SocketAnswer> {
  const seen = await ports.workspaces.inspect({ path: effect.path, base: effect.base });
  if (!seen.ok) return no(seen.failure.message);
  const marked = await checkpoint({
    step,
    total,
    description: ports.redactor.redact(description),
    tree: seen.value.tree,
  });
  return marked.ok ? { ok: true, view: null, said: `Step ${step} of ${total} is marked.` } : because(marked.failure);
}

async function take({ effect, ports, state, tell }: Answering, told: Told): Promise<SocketAnswer> {
  if (told.verb === "add_task" && told.command !== null && ports.redactor.redact(told.command) !== told.command)
    return no("the command holds what looks like a secret: propose one without it");
  const { id, run, fence } = effect;
  // Asked first without being recorded: an agent that is refused ten thousand times leaves no ten thousand events.
  const [first] = decide(state, { type: "agent.tell", id, run, fence, told, at: state.at });
  if (first?.type === "input.refused") return because(first.failure);
  const taken = await tell(told);
  return taken.ok ? { ok: true, view: null, said: toldAnswer(told.verb, taken.value) } : because(taken.failure);
}

/** The request, or why it is none. */
function parse(line: string): SocketRequest | string {
  let asked: unknown;
  try {
    asked = JSON.parse(line);
  } catch {
    return "that is no request: one line of JSON is";
  }
  const parsed = SocketRequest.safeParse(asked);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined || issue.path.length === 0 || issue.path[0] === "verb")
    return "an agent can ask for checkpoint, status and its tools only, in their form";
  return `${issue.path.join(".")}: ${issue.message}`;
}
