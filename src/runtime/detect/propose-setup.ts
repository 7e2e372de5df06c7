// What would make a fresh checkout of a project work, as a set-up for its configuration. Reads only.
import type { Candidate, Detected } from "./candidate.ts";
import { type Look, lookInto } from "./look.ts";

export interface SetupProposal {
  readonly command: string | null;
  readonly inputs: readonly string[];
  readonly share: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Proposed {
  /** Null when nothing seems to be needed. */
  readonly setup: SetupProposal | null;
  /** Why it seems to be: what is there, and what a fresh checkout lacks. */
  readonly why: string;
  /** What a set-up does not do, for the user to know. */
  readonly notices: readonly string[];
}

/** Which of these paths git ignores, whether they are there or not; a directory ends with a slash. */
export type Ignored = (paths: readonly string[]) => Promise<readonly string[]>;

type Step = Pick<SetupProposal, "command" | "inputs"> & { readonly why: string; readonly env?: SetupProposal["env"] };

const settings = [".env", ".env.local", ".env.test"];
const composeFiles = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

export async function proposeSetup(root: string, { candidates }: Detected, ignored: Ignored): Promise<Proposed> {
  const look = lookInto(root);
  const steps: Step[] = [];
  for (const candidate of candidates) {
    const step = await (stepOf[candidate.kind] ?? usualStep)(look, candidate, ignored);
    if (step !== null) steps.push(step);
  }
  const share: string[] = [];
  for (const path of await ignored(settings)) if ((await look.first(path)) !== null) share.push(path);
  const compose = await look.first(...composeFiles);
  const notices =
    compose === null ? [] : [`${compose}: services are not started by a set-up; start them, or do it in setup.command`];
  if (steps.length === 0 && share.length === 0) return { setup: null, why: "", notices };
  const command = steps.length === 0 ? null : steps.map((step) => step.command).join(" && ");
  const inputs = [...new Set(steps.flatMap((step) => step.inputs))];
  const env = Object.assign({}, ...steps.map((step) => step.env ?? {}));
  const why = [...steps.map((step) => step.why), ...share.map((path) => `${path} is ignored`)].join(", ");
  return { setup: { command, inputs, share, env }, why, notices };
}

type Detector = (look: Look, candidate: Candidate, ignored: Ignored) => Promise<Step | null>;

/** Which files say what a kind of project depends on: the first that is there, or the pattern for want of one. */
const locks: Readonly<Record<string, readonly string[]>> = {
  node: ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"],
  php: ["composer.lock"],
  rust: ["Cargo.lock"],
  go: ["go.sum"],
  ruby: ["Gemfile.lock"],
  elixir: ["mix.lock"],
};
const manifests: Readonly<Record<string, string>> = {
  node: "**/package.json",
  php: "composer.json",
  rust: "**/Cargo.toml",
  go: "**/go.mod",
  ruby: "Gemfile",
  elixir: "mix.exs",
};

async function usualStep(look: Look, { kind, setup }: Candidate): Promise<Step | null> {
  if (setup === null) return null;
  const lock = await look.first(...(locks[kind] ?? []));
  const manifest = manifests[kind] ?? "";
  return { command: setup, inputs: [lock ?? manifest], why: lock ?? manifest.replace("**/", "") };
}

const stepOf: Readonly<Record<string, Detector>> = {
  make: async (look) => {
    const file = await look.first("GNUmakefile", "makefile", "Makefile");
    const target = /^(setup|deps|bootstrap)\s*:(?!=)/m.exec((await look.text(file ?? "Makefile")) ?? "")?.[1];
    if (file === null || target === undefined) return null;
    return { command: `make ${target}`, inputs: [file], why: `${file} has a target "${target}"` };
  },
  python: pythonStep,
};

/** Tools that would else keep their environment outside of the checkout, where all slots share it. */
const inProject: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "poetry.lock": { POETRY_VIRTUALENVS_IN_PROJECT: "true" },
  "Pipfile.lock": { PIPENV_VENV_IN_PROJECT: "1" },
};

async function pythonStep(look: Look, { setup }: Candidate, ignored: Ignored): Promise<Step | null> {
  const lock = await look.first("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock");
  if (lock !== null && setup !== null) {
    const env = inProject[lock];
    return { command: setup, inputs: [lock], why: lock, ...(env && { env }) };
  }
  // An environment of the project's own is what an ignored one tells of; else only the user knows which is used.
  const [ignoredFolder] = await ignored([".venv/", "venv/"]);
  if (ignoredFolder === undefined) return null;
  const folder = ignoredFolder.slice(0, -1);
  const requirements = await look.first("requirements.txt", "requirements-dev.txt");
  const why = `${ignoredFolder} is ignored`;
  if (requirements === null)
    return { command: `python3 -m venv --without-pip ${folder}`, inputs: ["pyproject.toml"], why };
  const install = `${folder}/bin/python -m pip install -r ${requirements}`;
  const command = `python3 -m venv ${folder} && ${install}`;
  return { command, inputs: ["requirements*.txt"], why: `${requirements}, ${why}` };
}

/** One line for a run of a project that cannot work in a fresh checkout as it is; null when nothing is obvious. */
export async function lackOfSetup(root: string, { candidates }: Detected, ignored: Ignored): Promise<string | null> {
  const look = lookInto(root);
  for (const { kind, setup, dependencies } of candidates) {
    const lock = await look.first(...(locks[kind] ?? []));
    if (setup === null || dependencies === null || lock === null) continue;
    if ((await ignored([`${dependencies}/`])).length > 0)
      return `${lock}, but no set-up: a fresh checkout has no ${dependencies}; to have one proposed: harness init`;
  }
  return null;
}
