// What an outside worker carries in its environment: its name, its task, the number of its claim, how long a lease is.
import { hostname } from "node:os";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { TaskId } from "../../protocol/ids.ts";
import { defaultLeaseSeconds } from "../../protocol/lease.ts";
import type { Environment } from "../../runtime/project.ts";
import { type MissionState, noSuchTask } from "./mission-access.ts";

export interface Holding {
  readonly task: TaskId;
  readonly claim: number;
  readonly leaseSeconds: number;
}

/** The worker is whoever calls: a verb's own process is gone before the next verb. */
export function workerId(env: Environment): Outcome<string> {
  const given = env.HARNESS_WORKER_ID;
  if (given === undefined || given === "") return succeeded(`${hostname()}:${process.ppid}`);
  if (/^[\w.:@/+-]{1,128}$/.test(given)) return succeeded(given);
  return failed(
    wrong("HARNESS_WORKER_ID", "is no name for a worker", "use up to 128 letters, digits and . : @ / + - _"),
  );
}

export function leaseSeconds(env: Environment): Outcome<number> {
  const given = env.HARNESS_LEASE_SECONDS;
  if (given === undefined || given === "") return succeeded(defaultLeaseSeconds);
  const seconds = Number(given);
  if (/^\d{1,6}$/.test(given) && seconds >= 1 && seconds <= 86_400) return succeeded(seconds);
  return failed(wrong("HARNESS_LEASE_SECONDS", "is no number of seconds", "use a whole number from 1 to 86400"));
}

const wrong = (name: string, what: string, remedy: string): Failure => ({
  kind: "usage",
  message: `${name} ${what}`,
  remedy,
});

/** The claim a verb is about. Without HARNESS_FENCE it is the one the same worker holds on that task. */
export function holdingOf(given: string | undefined, env: Environment, state: MissionState): Outcome<Holding> {
  const task = given ?? env.HARNESS_TASK_ID;
  if (task === undefined || task === "") {
    return failed({ kind: "usage", message: "no task was named", remedy: "name it, or set HARNESS_TASK_ID" });
  }
  const lease = leaseSeconds(env);
  if (!lease.ok) return lease;
  const fence = env.HARNESS_FENCE;
  if (fence !== undefined && fence !== "") {
    if (/^\d{1,15}$/.test(fence)) return succeeded({ task, claim: Number(fence), leaseSeconds: lease.value });
    return failed(wrong("HARNESS_FENCE", "is no fence", "use the number that claim answered"));
  }
  const worker = workerId(env);
  if (!worker.ok) return worker;
  const of = state.tasks.get(task);
  if (of === undefined) return failed(noSuchTask(task));
  const { phase, handedIn } = of;
  const held = (claim: number) => succeeded({ task, claim, leaseSeconds: lease.value });
  // Its last verb may have been answered and not heard: it is answered the same once more.
  if (phase.status !== "in_progress" && handedIn?.worker === worker.value) return held(handedIn.claim);
  if (phase.status !== "in_progress") {
    return failed({ kind: "usage", message: `stale: ${task} is ${phase.status}` });
  }
  const { attempt } = phase;
  if (state.runs.get(attempt.run)?.worker === worker.value) return held(attempt.claim);
  return failed({
    kind: "usage",
    message: `stale: ${worker.value} holds no claim on ${task}`,
    remedy: "set HARNESS_FENCE to the number that claim answered, or HARNESS_WORKER_ID as it was then",
  });
}
