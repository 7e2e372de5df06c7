// The demo's throw-away place: a real git project with a state home of its own, used through the program itself.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../runtime/project.ts";

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface DemoPlace {
  readonly path: string;
  readonly project: string;
  readonly state: string;
  /** Runs this very program with its output passed through. */
  harness(...args: readonly string[]): Promise<ChildEnd>;
  /** The same, its output as text. */
  harnessSays(...args: readonly string[]): string;
  git(...args: readonly string[]): string;
  write(file: string, text: string): void;
  remove(): void;
}

export function createDemoPlace(inherited: Environment): DemoPlace {
  const path = mkdtempSync(join(tmpdir(), "harness-demo-"));
  const project = join(path, "greet");
  mkdirSync(project);
  const state = join(path, "state");
  const env = { ...withoutRepository(inherited), HARNESS_STATE_HOME: state };
  const self = [...process.execArgv, process.argv[1] ?? ""];
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: project, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
  return {
    path,
    project,
    state,
    git,
    harness: (...args) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [...self, ...args], { cwd: project, env, stdio: "inherit" });
        const forward = () => void child.kill("SIGTERM");
        // A terminal sends its SIGINT to the child as well; this process only has to outlive it.
        const outlive = () => undefined;
        process.on("SIGTERM", forward).on("SIGINT", outlive);
        child.once("error", reject);
        child.once("close", (code, signal) => {
          process.off("SIGTERM", forward).off("SIGINT", outlive);
          resolve({ code, signal });
        });
      }),
    harnessSays: (...args) =>
      execFileSync(process.execPath, [...self, ...args], { cwd: project, env, encoding: "utf8" }),
    write(file, text) {
      const target = join(path, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** In a git hook or another run these variables would lead out of the place. */
function withoutRepository(env: Environment): Environment {
  const leadsOut = (name: string) => name.startsWith("GIT_") || name === "HARNESS_STATE_ROOT";
  return Object.fromEntries(Object.entries(env).filter(([name]) => !leadsOut(name)));
}
