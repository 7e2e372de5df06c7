// Copies a directory that was archived whole: names, bytes, modes and links as they are.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  symlinkSync,
} from "node:fs";
import { refuse } from "../refusal.ts";
import { bytesBelow, unkept } from "./place.ts";
import { writeSparsely } from "./vault.ts";

export interface Made {
  readonly left: readonly string[];
  readonly nested: readonly string[];
  /** Of directories, set when nothing more is written into them: the deepest first. */
  readonly modes: readonly { readonly path: Buffer; readonly mode: number }[];
}

export async function copyWhole(from: string, to: string): Promise<Made> {
  if (!lstatSync(from).isDirectory())
    refuse({ kind: "env_setup", message: `${from} is not a directory`, remedy: "Look at it by hand." });
  const left: string[] = [];
  const nested: string[] = [];
  const modes: { path: Buffer; mode: number }[] = [];
  const open = [""];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    for (const name of readdirSync(bytesBelow(from, directory), { encoding: "buffer" })) {
      const path = `${directory}${name.toString("latin1")}`;
      const [source, target] = [bytesBelow(from, path), bytesBelow(to, path)];
      const stats = lstatSync(source);
      const mode = stats.mode & 0o7777;
      if (path.endsWith("/.git") && !path.startsWith(".git/")) nested.push(path);
      if (stats.isDirectory()) {
        mkdirSync(target, { mode: 0o700 });
        modes.unshift({ path: target, mode });
        open.push(`${path}/`);
      } else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source, "buffer"), target);
      else if (stats.isFile()) copyFile(source, target, { path, size: stats.size, mode });
      else left.push(path);
    }
  }
  return { left, nested, modes };
}

function copyFile(source: Buffer, target: Buffer, of: { path: string; size: number; mode: number }): void {
  try {
    const from = openSync(source, "r");
    const to = openSync(target, "wx", 0o600);
    try {
      writeSparsely(to, of.size, (take) => {
        const block = Buffer.allocUnsafe(128 * 1024);
        for (let read = readSync(from, block); read > 0; read = readSync(from, block)) take(block.subarray(0, read));
      });
      fsyncSync(to);
    } finally {
      closeSync(from);
      closeSync(to);
    }
    chmodSync(target, of.mode);
  } catch (error) {
    unkept(of.path)(error);
  }
}
