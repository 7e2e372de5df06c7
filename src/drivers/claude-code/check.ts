// What can be known of Claude Code before anything is started or spent: that it is there, new enough, allowed to work
// unattended, and logged in.
import * as z from "zod";
import { findProgram } from "../../kit/find-program.ts";
import { runProcess } from "../../kit/run-process.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { AgentFacts, CheckPlace } from "../driver.ts";
import type { Options } from "./options.ts";

/** Of older ones nobody has looked at the stream. */
const oldest = [2, 1, 0] as const;
/** It answers in a few hundredths of a second; a machine may be busy. */
const answersInMs = 60_000;

/** Of `claude auth status`; a version that does not know it answers in prose, and is not judged by it. */
const AuthStatus = z.object({
  loggedIn: z.boolean(),
  authMethod: z.string().optional(),
  subscriptionType: z.string().nullish(),
});

export async function check(options: Options, place: CheckPlace): Promise<Outcome<AgentFacts>> {
  const { binary } = options;
  if ((await findProgram(binary, place)) === null) return failed(missing(binary));
  const refused = refusalAsRoot(options, place.sandboxed ? { IS_SANDBOX: "1" } : place.env);
  if (refused !== null) return failed(refused);
  const told = await ask(place, binary, "--version");
  const version = /\b(\d+)\.(\d+)\.(\d+)\b/.exec(told.output);
  if (told.code !== 0 || version === null) return failed(silent(binary, told.output));
  if (isOlder(version.slice(1).map(Number))) return failed(tooOld(binary, version[0]));
  const status = parsed((await ask(place, binary, "auth", "status")).output);
  if (status?.loggedIn === false) return failed(loggedOut(binary));
  const { authMethod: login = null, subscriptionType: subscription } = status ?? {};
  return succeeded({ version: version[0], login, ...(subscription && { subscription }) });
}

const ask = ({ cwd, env, signal }: CheckPlace, binary: string, ...args: readonly string[]) =>
  runProcess({
    argv: [binary, ...args],
    cwd,
    env: { ...env, DISABLE_AUTOUPDATER: "1" },
    announce: async () => true,
    stdin: "",
    timeoutMs: answersInMs,
    ...(signal === undefined ? {} : { signal }),
  });

function parsed(text: string): z.output<typeof AuthStatus> | null {
  try {
    return AuthStatus.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isOlder(version: readonly number[]): boolean {
  const at = oldest.findIndex((part, place) => part !== version[place]);
  return at !== -1 && (version[at] ?? 0) < (oldest[at] ?? 0);
}

/** `IS_SANDBOX` tells it otherwise: we say so only where it is true, and whoever passes the variable has said it. */
export function refusalAsRoot(
  { permissionMode }: Pick<Options, "permissionMode">,
  { IS_SANDBOX: sandboxed }: Readonly<Record<string, string>>,
): Failure | null {
  if (sandboxed === "1" || permissionMode !== "bypassPermissions" || process.getuid?.() !== 0) return null;
  return {
    kind: "config",
    message: "Claude Code does not bypass permissions as root outside of a sandbox",
    remedy:
      'run as another user or in a sandbox, or choose "permissionMode": "acceptEdits" with "args": ["--allowedTools", "Bash"] in the agent\'s options',
  };
}

const missing = (binary: string): Failure => ({
  kind: "env_setup",
  message: `Claude Code is not there: no program ${binary}`,
  remedy: 'install it (npm install -g @anthropic-ai/claude-code), or name its file as the agent\'s option "binary"',
});
const silent = (binary: string, output: string): Failure => ({
  kind: "env_setup",
  message: `${binary} --version names no version; it does not seem to be Claude Code`,
  remedy: `try: ${binary} --version`,
  ...(output.trim() === "" ? {} : { evidence: output }),
});
const tooOld = (binary: string, version: string): Failure => ({
  kind: "env_setup",
  message: `Claude Code ${version} is too old: ${oldest.join(".")} is the first that can be read`,
  remedy: `${binary} update`,
});
const loggedOut = (binary: string): Failure => ({
  kind: "auth",
  message: "Claude Code is not logged in",
  remedy: `${binary} auth login, or set ANTHROPIC_API_KEY`,
});
