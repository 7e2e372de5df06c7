// The program a command line starts with, where that can be told without understanding the shell.

const assignment = String.raw`[A-Za-z_]\w*=[^\s'"\`$\\;&|<>()]*[ \t]+`;
const start = new RegExp(String.raw`^\s*((?:${assignment})*)([A-Za-z0-9_][\w.+-]*)(?=[\s;&|<>]|$)`);

/**
 * A plain word, after any plain `NAME=value`. Null for everything that might mean something else: a path, a quote, an
 * expansion, a bracket, a comment, a definition – and after an assignment to PATH, which decides what is found.
 */
export function firstWord(commandLine: string): string | null {
  const [matched = "", assignments = "", word] = start.exec(commandLine) ?? [];
  if (word === undefined || /\bPATH=/.test(assignments)) return null;
  const isDefinition = /^\s*\(/.test(commandLine.slice(matched.length));
  return isDefinition ? null : word;
}
