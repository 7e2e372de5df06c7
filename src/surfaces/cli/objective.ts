// `harness "what to do"`: words in the place of a command are an objective. One word alone is a command, mistyped or not.

/** Flags that stand before the command, and whether their value is the next word. */
const generalFlag = /^--root(=|$)/;

export function withObjective(argv: readonly string[]): readonly string[] {
  let at = 2;
  while (generalFlag.test(argv[at] ?? "")) at += argv[at] === "--root" ? 2 : 1;
  const word = argv[at];
  if (word === undefined || word.startsWith("-") || !/\S\s+\S/.test(word)) return argv;
  return [...argv.slice(0, at), "loop", ...argv.slice(at)];
}
