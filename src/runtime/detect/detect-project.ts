// Proposes how a project is tested and set up, from the files it has. Reads only; nothing of the project is run.
import type { Candidate, Detected } from "./candidate.ts";
import { kinds } from "./kinds.ts";
import { lookInto } from "./look.ts";

/** A command the project names itself goes before one that is merely usual for its language, both before none. */
const ranks = { declared: 0, usual: 1 } as const;
const noTests = 2;

export async function detectProject(root: string): Promise<Detected> {
  const look = lookInto(root);
  const found = await Promise.all(kinds.map(({ detect }) => detect(look)));
  const ranked = kinds.flatMap(({ kind }, index) => {
    const finding = found[index];
    if (finding === null || finding === undefined) return [];
    const { basis, ...rest } = finding;
    return [{ rank: rest.validation === null ? noTests : ranks[basis], candidate: { kind, ...rest } }];
  });
  return { candidates: ranked.sort((a, b) => a.rank - b.rank).map(({ candidate }) => candidate) };
}

/** For a checkout in which nothing was set up yet. */
export function validationFromScratch({ setup, validation }: Candidate): string | null {
  return validation === null || setup === null ? validation : `${setup} && ${validation}`;
}
