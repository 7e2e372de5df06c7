// `harness validate`: whether a plan file could be taken over: schema, ids, dependencies, circles, criteria.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { planFilesIn } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { inspectPlan } from "./inspect-plan.ts";
import { painterFor } from "./paint.ts";

export interface ValidateOptions {
  readonly test?: true;
  readonly json?: true;
}

export async function validate(
  file: string | undefined,
  options: ValidateOptions,
  context: Context,
): Promise<ExitCode> {
  if (options.test) return testItself(options, context);
  const { folder, name } = file === undefined ? await planFile(context) : { folder: context.cwd, name: file };
  const text = await readText(resolve(folder, name));
  if (!text.ok) return refuse(context, "cannot validate", text.failure);
  const found = inspectPlan(text.value, name);
  const isGood = found.errors.length === 0;
  const { stdout, env } = context;
  const paint = painterFor(stdout, env);
  if (options.json) writeJson(stdout, { ok: isGood, ...found });
  else {
    for (const line of found.errors) writeLine(stdout, `${paint("red", "error:")} ${oneLine(line)}`);
    for (const line of found.warnings) writeLine(stdout, `${paint("yellow", "warning:")} ${oneLine(line)}`);
    if (isGood) writeLine(stdout, `${oneLine(found.file)} is good: ${found.tasks} tasks`);
  }
  return isGood ? exitCodes.done : exitCodes.usage;
}

/** Looked for by name only: a plan that is merely looked at must not be taken over. */
async function planFile({ root, env, cwd }: Context): Promise<{ folder: string; name: string }> {
  const told = root ?? (env.HARNESS_STATE_ROOT || undefined);
  const usual = { folder: told ?? cwd, name: "harness-tasks.json" };
  for (let folder = usual.folder; ; folder = dirname(folder)) {
    const [name] = await planFilesIn(folder);
    if (name !== undefined) return { folder, name };
    if (told !== undefined || dirname(folder) === folder) return usual;
  }
}

async function readText(path: string): Promise<Outcome<string>> {
  try {
    return succeeded(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path)));
  } catch (error) {
    const why = error instanceof TypeError ? "is not UTF-8 text" : "cannot be read";
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    return failed({ kind: "usage", message: `${oneLine(path)} ${why}${code}`, remedy: "harness validate FILE" });
  }
}

async function testItself({ json }: ValidateOptions, { stdout }: Context): Promise<ExitCode> {
  const { wrongCases, validateCases } = await import("./validate-cases.ts");
  const wrong = wrongCases(inspectPlan);
  const passed = validateCases.length - wrong.length;
  if (json) writeJson(stdout, { cases: validateCases.length, passed, wrong });
  else {
    for (const line of wrong) writeLine(stdout, `wrong: ${line}`);
    writeLine(stdout, `${passed} of ${validateCases.length} built-in cases passed`);
  }
  return wrong.length === 0 ? exitCodes.done : exitCodes.usage;
}
