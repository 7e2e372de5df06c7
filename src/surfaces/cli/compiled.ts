// Runs a script of ours with the code that V8 made of it when it was built: to parse and compile it anew takes a fifth
// of what a short command takes.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

type Main = (exports: object, require: NodeJS.Require, module: object, file: string, folder: string) => void;

const digestBytes = 32;

/** Another V8 would not take it, so it has a name of its own. */
export const codeFile = (path: string): string => `${path}.${process.versions.v8}-${process.arch}.code`;

export const withDigest = (code: Buffer): Buffer => Buffer.concat([digestOf(code), code]);

const digestOf = (code: Buffer): Buffer => createHash("sha256").update(code).digest();

/** V8 itself believes every byte, and would run what a torn file says. */
function codeOf(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(codeFile(path));
    const code = bytes.subarray(digestBytes);
    return digestOf(code).equals(bytes.subarray(0, digestBytes)) ? code : undefined;
  } catch {
    return undefined; // Built for another Node: it is compiled as it would be without us.
  }
}

/** The script is one function, in the form of a CommonJS module; everything in it is ASCII. */
export function scriptOf(path: string): Script {
  const cachedData = codeOf(path);
  const source = readFileSync(path, "latin1");
  return new Script(source, { filename: path, ...(cachedData && { cachedData }) });
}

export function run(script: Script, path: string): unknown {
  const module = { exports: {} };
  const main: Main = script.runInThisContext();
  main(module.exports, createRequire(path), module, path, dirname(path));
  return module.exports;
}
