// A process beside ours that ends what we have started, should we die before we could (PR-8). It reads from a pipe what
// it guards, and the end of that pipe is our death. A shell and no Node: it takes a megabyte and starts at once.
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { guardianScript } from "./guardian-script.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** Told whole to the next guardian when one is gone. */
const guarded = new Set<string>();
let guardian: ChildProcess | null = null;
let lost = 0;
/** Somebody who ends guardians as fast as they come is not outrun. */
const mostLost = 1_000;

/** From now on, until the answer is called, the group and everything with its marker does not outlive this process. */
export function watchOver({ group, startTime }: ProcessIdentity, marker: string | undefined): () => void {
  const line = `${group} ${startTime.replace(/\s+/g, "_")} ${marker ?? ""}`;
  guarded.add(line);
  if (guardian === null) guardian = startGuardian();
  else tell(guardian, `+ ${line}`);
  return () => {
    if (guarded.delete(line) && guardian !== null) tell(guardian, `- ${line}`);
  };
}

function startGuardian(): ChildProcess {
  // In a session of its own, so that what is sent to ours does not reach it; without our environment, so that it is
  // not taken for one of those it guards.
  const child = spawn("/bin/sh", ["-c", guardianScript, "guardian", "/proc"], {
    cwd: "/",
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = (): void => {
    if (guardian !== child) return;
    guardian = null;
    lost += 1;
    if (guarded.size > 0 && lost < mostLost) guardian = startGuardian();
  };
  child.once("exit", gone).once("error", gone);
  child.stdin?.on("error", () => undefined);
  // It lives for us; we do not wait for it.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  for (const line of guarded) tell(child, `+ ${line}`);
  return child;
}

/** Handed to the kernel at once: what was said outlives us. */
function tell({ stdin }: ChildProcess, line: string): void {
  stdin?.write(`${line}\n`);
}
