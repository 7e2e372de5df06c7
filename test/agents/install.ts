// The agents that are tried, in exactly these versions, installed once into a folder of the user's cache.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const claudeCode = { package: "@anthropic-ai/claude-code", version: "2.1.325", program: "claude" };

declare module "vitest" {
  export interface ProvidedContext {
    /** The path of Claude Code's program. */
    readonly claude: string;
    readonly claudeVersion: string;
  }
}

export default async function setUp(project: TestProject): Promise<void> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "harness-agents");
  project.provide("claude", await installed(cache, claudeCode));
  project.provide("claudeVersion", claudeCode.version);
}

/** Whole or not at all: an install that was cut short is in a folder that nobody looks into. */
async function installed(cache: string, agent: typeof claudeCode): Promise<string> {
  const folder = join(cache, `${agent.program}-${agent.version}`);
  const program = join(folder, "node_modules/.bin", agent.program);
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, "installing-"));
  try {
    const what = ["--prefix", fresh, "--no-audit", "--no-fund", `${agent.package}@${agent.version}`];
    await promisify(execFile)("npm", ["install", ...what], { cwd: fresh });
    await rename(fresh, folder);
  } catch (error) {
    // Another may have been faster.
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  }
  return program;
}
