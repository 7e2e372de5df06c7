// What a started program finds in its environment. By list, not by exception: a variable that nobody named may hold a
// key, and an agent, or code that it wrote, would read it.
import type { Effect } from "../protocol/effect.ts";
import type { PassedEnv } from "../protocol/env.ts";
import type { Environment } from "./project.ts";

const words = (text: string): readonly string[] => text.split(" ");

/** What programs commonly need and what is no secret. */
const base: readonly string[] = [
  // Who and where the user is, and how to speak to them.
  ...words("PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP XDG_*"),
  ...words("LANG LANGUAGE LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CI"),
  // How to reach the network from here. A proxy's address may hold a password, but without it nothing is reached.
  ...words("HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy"),
  ...words("SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO"),
  // Where toolchains and their caches are.
  ...words("CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOMODCACHE GOCACHE GOTOOLCHAIN GOPROXY GOFLAGS"),
  ...words("JAVA_HOME GRADLE_USER_HOME ANDROID_HOME NVM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR PYENV_ROOT"),
  ...words("RBENV_ROOT SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR HOMEBREW_PREFIX NIX_PATH NIX_PROFILES"),
  ...words("NIX_SSL_CERT_FILE"),
  // Git as the user has it; never GIT_CONFIG_KEY_…, by which tokens are given.
  ...words("GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM"),
  ...words("GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS"),
  // By which a verb of ours finds the state, called by a program that we started.
  "HARNESS_STATE_HOME",
];

/**
 * A program that looks for newer versions of itself asks the network, and its news push what failed out of the last lines
 * that people and agents are shown. Who passes these names decides for themselves.
 */
const noNews: Readonly<Record<string, string>> = { NO_UPDATE_NOTIFIER: "1", npm_config_update_notifier: "false" };

/** Set when we were started from a git hook; git in a workspace must not follow them to the user's repository. */
const leadsElsewhere = new Set([
  ...words("GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES"),
  ...words("GIT_COMMON_DIR GIT_NAMESPACE GIT_PREFIX PWD OLDPWD"),
]);
/** Ours, for agents and their hooks only: a project whose tests use Harness must not find them (rule F1). */
const ours = new Set(
  words("HARNESS_STATE_ROOT HARNESS_LANE HARNESS_TASK_ID HARNESS_FENCE HARNESS_PROCESS HARNESS_SOCKET"),
);

export interface Passing {
  /** The user's own. */
  readonly env: Environment;
  /** What is passed beside the base list; `agent` includes what the driver asks for. */
  readonly passed: PassedEnv;
}

/** The user's variables that a program of this kind is given. */
export function passedTo(kind: Effect["kind"], { env, passed }: Passing): Record<string, string> {
  const isPassed = passes(kind, passed);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isPassed(name)) result[name] = value;
  }
  return result;
}

export function environmentFor(effect: Effect, passing: Passing, root: string): Record<string, string> {
  const result = { ...(effect.kind !== "agent.run" && noNews), ...passedTo(effect.kind, passing) };
  // By this a process whose supervisor died is recognised as ours.
  result.HARNESS_PROCESS = effect.id;
  if (effect.kind === "agent.run") {
    result.HARNESS_STATE_ROOT = root;
    result.HARNESS_LANE = String(effect.lane);
    result.HARNESS_TASK_ID = effect.task;
    result.HARNESS_FENCE = String(effect.fence);
  }
  return result;
}

function passes(kind: Effect["kind"], { pass, agent }: PassedEnv): (name: string) => boolean {
  const named = [...base, ...pass, ...(kind === "agent.run" ? agent : [])];
  const exact = new Set(named);
  const prefixes = named.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) =>
    !leadsElsewhere.has(name) &&
    !ours.has(name) &&
    (exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)));
}

/** Of the terminal and shell that we were started from, or of us: no program misses them. */
const unmissed =
  /^(?:_|SHLVL|PS\d|LS_COLORS|HOSTNAME|MAIL|WINDOWID|DISPLAY|HARNESS_.*|BASH_.*|TERM_.*|SSH_(?:CLIENT|CONNECTION|TTY))$/;

/** Names of the user's variables that a program of this kind is not given; never their values. */
export function withheldNames(kind: Effect["kind"], { env, passed }: Passing): readonly string[] {
  const isPassed = passes(kind, passed);
  return Object.keys(env)
    .filter((name) => !isPassed(name) && !leadsElsewhere.has(name) && !unmissed.test(name))
    .sort();
}
