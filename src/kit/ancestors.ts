// The processes above ours, and what they were started with: nobody can take that back from below.
import { readProcess, readVariable } from "./process-table.ts";

/** More than any shell in a shell in a terminal; a loop there is none. */
const mostSteps = 100;

/** Up to the first process, nearest first; none where the system does not tell. */
async function ancestors(): Promise<readonly number[]> {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 1 && found.length < mostSteps; ) {
    found.push(pid);
    pid = (await readProcess(pid))?.parent ?? 0;
  }
  return found;
}

/** Values of these variables in each of them, as far as we may look. */
export async function variablesAbove<Name extends string>(
  names: readonly Name[],
): Promise<readonly Readonly<Record<Name, string | null>>[]> {
  const rows = [];
  for (const pid of await ancestors()) {
    const entries = await Promise.all(names.map(async (name) => [name, await readVariable(pid, name)] as const));
    rows.push(Object.fromEntries(entries) as Record<Name, string | null>);
  }
  return rows;
}
