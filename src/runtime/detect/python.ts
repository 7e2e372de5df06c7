// Python: which runner the project configures, and the tool whose lock file it keeps.
import type { Finding } from "./candidate.ts";
import type { Look } from "./look.ts";

const manifests = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "requirements.txt"];

/** Where a project says that it uses pytest, and how. */
const signsOfPytest: readonly (readonly [file: string, sign: RegExp])[] = [
  ["pytest.ini", /^\[pytest\]/m],
  ["pyproject.toml", /^\[tool\.pytest|["']pytest\b/m],
  ["setup.cfg", /^\[tool:pytest\]|^\s*pytest\b/m],
  ["tox.ini", /^\[pytest\]|\bpytest\b/m],
  ["requirements-dev.txt", /^pytest\b/m],
  ["requirements.txt", /^pytest\b/m],
  ["conftest.py", /(?:)/],
  ["tests/conftest.py", /(?:)/],
];

/** `run` goes before a command, so that it finds what `setup` installed. */
const managers = [
  { tool: "uv", lock: "uv.lock", setup: "uv sync --locked", run: "uv run " },
  { tool: "poetry", lock: "poetry.lock", setup: "poetry install", run: "poetry run " },
  { tool: "pdm", lock: "pdm.lock", setup: "pdm sync -d", run: "pdm run " },
  { tool: "pipenv", lock: "Pipfile.lock", setup: "pipenv sync --dev", run: "pipenv run " },
] as const;

export async function detectPython(look: Look): Promise<Finding | null> {
  const manifest = await look.first(...manifests);
  if (manifest === null) return null;
  for (const { tool, lock, setup, run } of managers) {
    if ((await look.first(lock)) === null) continue;
    const { command, why } = await runnerOf(look, manifest);
    const validation = command === null ? null : `${run}${command}`;
    return { basis: "usual", validation, setup, why: `${why}, ${lock}`, tools: [tool], dependencies: null };
  }
  const { command, why } = await runnerOf(look, manifest);
  // Without a lock file only the user knows which environment holds the dependencies: the one that is active counts.
  const validation = command === "pytest" ? "python3 -m pytest" : command;
  const tools = command === "tox" ? ["tox"] : ["python3"];
  return { basis: "usual", validation, setup: null, why, tools, dependencies: null };
}

async function runnerOf(look: Look, manifest: string): Promise<{ command: string | null; why: string }> {
  for (const [file, sign] of signsOfPytest) {
    const text = await look.text(file);
    if (text !== null && sign.test(text)) return { command: "pytest", why: `${file} speaks of pytest` };
  }
  if (/^\[testenv/m.test((await look.text("tox.ini")) ?? "")) return { command: "tox", why: "tox.ini" };
  return { command: null, why: `${manifest}, but no tests that we know of` };
}
