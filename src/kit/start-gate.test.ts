import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StartError, startHeld, waitingScript } from "./start-gate.ts";

const env = { PATH: process.env.PATH ?? "" };

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "start-gate-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test("when we die first the program ends without having begun", async () => {
  const acted = join(await folder(), "acted");
  const held = spawn("/bin/sh", ["-c", waitingScript(env), "sh", "/usr/bin/touch", acted], {
    env,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  await once(held, "spawn");
  // What the kernel does with our end of the line when we are killed.
  const line = held.stdio[3];
  if (line && "destroy" in line) line.destroy();
  expect(await once(held, "exit")).toEqual([125, null]);
  expect(existsSync(acted)).toBe(false);
});

test("a held program leads its own group and becomes the real one under the same pid", async () => {
  const held = await startHeld({ file: "/bin/sh", args: ["-c", "echo $$ $1", "sh", "a  b"], cwd: "/", env, stdin: "" });
  const { pid, group } = held.identity;
  expect(group).toBe(pid);
  held.letGo();
  expect(String(await held.stdout.toArray())).toBe(`${pid} a b\n`);
  expect(await held.exited).toEqual({ code: 0, signal: null });
});

test("what the system refuses to start is a StartError", async () => {
  const program = { file: "/bin/sh", args: ["x".repeat(4_000_000)], cwd: "/", env, stdin: undefined };
  await expect(startHeld(program)).rejects.toThrow(StartError);
});
