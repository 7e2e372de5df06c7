// A repository with a trap in it, and plain git to walk into it.
import { execFile } from "node:child_process";
import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { configText, type Trap, type TrapPlace } from "../corpus/git-trap.ts";

const run = promisify(execFile);
const quiet = { GIT_CONFIG_SYSTEM: "/dev/null", LC_ALL: "C", PATH: process.env.PATH };

/** git as anybody runs it, without a configuration of this machine's. */
export async function plain(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", [...args], { cwd, env: { ...quiet, HOME: "/nowhere" }, maxBuffer: 2 ** 26 });
  return stdout.trimEnd();
}

const attributes = "*.txt filter=evil diff=evil merge=evil\n";

/** main, two branches ahead of it that disagree about two.txt, and two that disagree about readme.md. */
async function makeTemplate(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "trap-template-")));
  const project = join(directory, "project");
  await mkdir(project);
  const git = (...args: readonly string[]): Promise<string> => plain(project, ...args);
  await git("init", "-q", "--initial-branch=main", "--template=");
  await appendFile(join(project, ".git/config"), "[user]\n\tname = A User\n\temail = user@example.org\n");
  const files = { ".gitattributes": attributes, "one.txt": "one\n", "two.txt": "two\n", "readme.md": "hello\n" };
  for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text);
  await git("add", ".");
  await git("commit", "-q", "-m", "start");
  const branches = { ahead: "two.txt", aside: "two.txt", "plain-one": "readme.md", "plain-two": "readme.md" };
  for (const [branch, file] of Object.entries(branches)) {
    await git("switch", "-q", "-c", branch, "main");
    await writeFile(join(project, file), `${branch}\n`);
    await git("commit", "-q", "-a", "-m", branch);
  }
  await git("switch", "-q", "main");
  await git("clone", "-q", "--bare", "--template=", ".", "../other");
  // Copied for each trap: the fewer files the better.
  await git("gc", "-q");
  await writeFile(join(project, "one.txt"), "changed\n");
  return directory;
}

let template: Promise<string> | null = null;
export const removeTemplate = async (): Promise<void> => {
  if (template !== null) await rm(await template, { recursive: true, force: true });
  template = null;
};

export interface Trapped {
  readonly directory: string;
  readonly checkout: string;
  /** Which traps ran their program. */
  sprung(): Promise<readonly string[]>;
  placeOf(trap: Trap, gitDir: string, workTree: string): Promise<TrapPlace>;
}

/** Removed when the test has ended, well or not. */
export async function makeTrapped(): Promise<Trapped> {
  template ??= makeTemplate();
  const directory = await realpath(await mkdtemp(join(tmpdir(), "trapped-")));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await cp(await template, directory, { recursive: true });
  await mkdir(join(directory, "aside"));
  const canary = join(directory, "canary");
  return {
    directory,
    checkout: join(directory, "project"),
    async sprung() {
      const text = await readFile(canary, "utf8").catch(() => "");
      return [...new Set(text.split("\n").filter((line) => line !== ""))];
    },
    async placeOf({ name }, gitDir, workTree) {
      const payload = join(directory, "payload", name.replaceAll(/[^a-z]/gi, "-"));
      await mkdir(join(directory, "payload"), { recursive: true });
      await writeFile(payload, `#!/bin/sh\necho '${name}' >> '${canary}'\n`);
      await chmod(payload, 0o755);
      const aside =
        workTree === join(directory, "project") ? join(directory, "aside") : await mkdtemp(join(directory, "aside-"));
      return { gitDir, workTree, payload, aside, other: join(directory, "other") };
    },
  };
}

/** Puts the trap into a git directory and its work tree; answers what the environment has to say. */
export async function plantTrap(trap: Trap, place: TrapPlace): Promise<Readonly<Record<string, string>>> {
  if (trap.config !== undefined) await appendFile(join(place.gitDir, "config"), configText(trap.config(place)));
  await trap.plant?.(place);
  return (await trap.environment?.(place)) ?? {};
}

/** Plain git in the trap's own repository: answers nothing, for most of these calls fail once the program has run. */
export async function fire(trap: Trap, place: TrapPlace, environment: Readonly<Record<string, string>>): Promise<void> {
  await trap.prepare?.(place);
  const env = { ...quiet, HOME: "/nowhere", TERM: "vt100", ...environment };
  const other = trap.fire.flat().some((arg) => arg.includes("OTHER"))
    ? await plain(place.other, "rev-parse", "HEAD")
    : "";
  for (const args of trap.fire) {
    const filled = args.map((arg) => arg.replace("OTHER", other));
    const [file, ...rest] =
      trap.terminal === true ? ["script", "-qec", `git ${filled.join(" ")}`, "/dev/null"] : ["git", ...filled];
    await new Promise<void>((resolve) => {
      const child = execFile(file ?? "", rest, { cwd: place.workTree, env, timeout: 20_000 }, () => resolve());
      child.stdin?.on("error", () => undefined);
      child.stdin?.end("protocol=https\nhost=h.invalid\n\n");
    });
  }
}
