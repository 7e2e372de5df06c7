// Projects with plans of a given size, made by the program itself.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const cli = join(import.meta.dirname, "../../dist/cli.js");

export interface Project {
  readonly root: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A third of the tasks depends on the one before it. */
export function createProject(folder: string, name: string, size: number): Project {
  const place = join(folder, name);
  const root = join(place, "project");
  mkdirSync(root, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: place,
    HARNESS_STATE_HOME: join(place, "state"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  // What a sandbox costs is not what these measure.
  mkdirSync(join(place, ".config/harness"), { recursive: true });
  writeFileSync(join(place, ".config/harness/config.json"), '{"sandbox":"off"}');
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, env });
  git("init", "--quiet");
  git("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "commit", "-q", "--allow-empty", "-m", "base");
  const idOf = (n: number) => `task-${String(n).padStart(6, "0")}`;
  const tasks = Array.from({ length: size }, (_, n) => ({
    id: idOf(n),
    title: `Do the thing with number ${n}, as it is described`,
    status: "pending",
    priority: ["P0", "P1", "P2"][n % 3],
    depends_on: n % 3 === 2 ? [idOf(n - 1)] : [],
    validation: { command: "npm test", timeout_seconds: 300 },
  }));
  writeFileSync(
    join(root, "harness-tasks.json"),
    JSON.stringify({ version: 2, session_config: { concurrency_mode: "concurrent" }, tasks }),
  );
  execFileSync(process.execPath, [cli, "init", "--yes"], { cwd: root, env });
  const [id = ""] = readdirSync(join(place, "state"));
  return { root, home: join(place, "state", id), env };
}
