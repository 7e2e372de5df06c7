// The double of the driver family: an agent that follows a script. For demos, tests and simulation.
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { stoppable } from "../../kit/stoppable.ts";
import type { AgentEnd, AgentEvent } from "../../protocol/agent.ts";
import { type AgentRequest, type DriverVariant, defineDriver } from "../driver.ts";
import { failed, performStep, type Scene, whyStopped } from "./perform-step.ts";
import { Script, stepsFor } from "./script.ts";

/** A script, or the path of a JSON file that holds one and is read anew for each run. */
const ScriptOrPath = z.unknown().transform((written, context): Script | string => {
  if (typeof written === "string" && written !== "") return written;
  const parsed = Script.safeParse(written);
  if (parsed.success) return parsed.data;
  for (const { message, path } of parsed.error.issues) {
    context.issues.push({ code: "custom", message, path: [...path], input: written });
  }
  return z.NEVER;
});
const Options = z.strictObject({ script: ScriptOrPath });

/** `crash` is what the step of that name does; tests pass another. */
export const createScripted = (crash: () => void): DriverVariant<typeof Options> =>
  defineDriver({
    name: "scripted",
    options: Options,
    env: () => [],
    create: ({ script }) => ({
      run: (request, signal) => stoppable(signal, (stop) => runScript(script, request, { signal: stop, crash })),
    }),
  });

/** Its crash is a real one: the process that supervises the agent gets no chance to tidy up. */
export const scripted = createScripted(() => process.kill(process.pid, "SIGKILL"));

async function* runScript(
  source: Script | string,
  request: AgentRequest,
  means: Pick<Scene, "signal" | "crash">,
): AsyncGenerator<AgentEvent, void, void> {
  const scene: Scene = { ...means, request, deadline: performance.now() + request.timeoutMs, account: null, heard: [] };
  request.words?.listen((word) => scene.heard.push(word));
  const script = typeof source === "string" ? await readScript(source) : source;
  const end = "reason" in script ? script : yield* followScript(script, scene);
  yield { type: "ended", end: scene.account === null ? end : { ...end, account: scene.account } };
}

async function readScript(path: string): Promise<Script | AgentEnd> {
  try {
    const parsed = Script.safeParse(JSON.parse(await readFile(path, "utf8")));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return failed("config", `script ${path}, at ${issue?.path.join(".") || "its top"}: ${issue?.message}`);
  } catch (error) {
    return failed("config", `script ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function* followScript(script: Script, scene: Scene): AsyncGenerator<AgentEvent, AgentEnd, void> {
  const { task } = scene.request;
  const steps = stepsFor(script, scene.request);
  if (steps === null) return failed("config", `the script has no steps for ${task}, and no default`);
  let lastWords = "";
  for (const step of steps) {
    const stopped = whyStopped(scene);
    if (stopped !== null) return stopped;
    if (step.verb === "say") lastWords = step.text;
    const end = yield* performStep(step, scene, lastWords);
    if (end !== null) return end;
  }
  return whyStopped(scene) ?? { reason: "finished", message: lastWords };
}
