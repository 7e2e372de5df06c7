// The first harness-init.sh of a project, for the user to adapt.
import type { Candidate, Detected } from "./candidate.ts";

/** POSIX sh. Safe to run at any time and any number of times: what is there already is left alone. */
export function initScriptTemplate({ candidates }: Detected): string {
  const [first, ...others] = candidates;
  const further = others.filter(({ setup }) => setup !== null);
  const parts = [
    head,
    first === undefined ? unknown : main(first),
    ...further.map(optional),
    `# Add what else must hold before work starts, such as a database that answers:
# pg_isready -q || fail "the database does not answer"`,
  ];
  return `${parts.join("\n\n")}\n`;
}

const head = `#!/bin/sh
# Health check of this project. Harness runs it at the start of every session, and takes no work unless it exits 0.
# Keep it quick, and safe to run again: it must leave alone what is there already.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")"

fail() {
  printf 'harness-init.sh: %s\\n' "$1" >&2
  exit 1
}
have() {
  command -v "$1" >/dev/null 2>&1
}
need() {
  have "$1" || fail "$1 was not found: install it, or put it on the PATH"
}

need git`;

const unknown = `# What kind of project this is was not recognised. Name the programs it needs, and fetch what it depends on:
# need make
# [ -d vendor ] || make deps`;

function main({ kind, why, tools, setup, dependencies }: Candidate): string {
  const lines = [`# ${kind}: ${why}`, ...tools.map((tool) => `need ${tool}`)];
  if (setup !== null) lines.push(dependencies === null ? setup : unlessThere(dependencies, setup));
  return lines.join("\n");
}

/** Also found here, perhaps only a part of the project: its tools are used if they are there, but not demanded. */
function optional({ kind, why, tools, setup, dependencies }: Candidate): string {
  const present = [...tools.map((tool) => `have ${tool}`)].join(" && ");
  const step = dependencies === null ? setup : unlessThere(dependencies, String(setup)).replaceAll("\n", "\n  ");
  return [`# ${kind}, too: ${why}`, `if ${present}; then`, `  ${step}`, "fi"].join("\n");
}

const unlessThere = (folder: string, setup: string): string => `if [ ! -d ${folder} ]; then\n  ${setup}\nfi`;
