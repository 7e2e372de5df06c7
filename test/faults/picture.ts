// What an operation left behind, told so that two states are the same text when they differ only in what is new in every
// run: ids, hashes over them, process numbers, times of files. Whoever goes on from the one comes where whoever goes on
// from the other does, so a sweep goes on from each state once. What is not known to be the same is different.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { journalFile } from "../../src/runtime/project.ts";
import { openLibsql } from "../../src/stores/sqlite/libsql.ts";
import type { Scene } from "./scene.ts";
import { projectOf } from "./truth.ts";

const isIndex = (path: string): boolean => /(\/|\.)index$/.test(path);
const isJournal = (path: string): boolean => /\/journal\.db(-journal)?$/.test(path);
const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

interface Names {
  /** Contents of files that are named by their hash somewhere. */
  readonly hashes: Map<string, string>;
  readonly mtimes: Set<string>;
  /** In the order in which they are met. */
  readonly ids: Map<string, string>;
}

export async function pictureOf(scene: Scene, said: string): Promise<string> {
  const names: Names = { hashes: new Map(), mtimes: new Set(), ids: new Map() };
  const paths = readdirSync(scene.live, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.map((path) => {
    const stat = lstatSync(join(scene.live, path));
    const bytes = stat.isFile() && !isJournal(path) ? readFileSync(join(scene.live, path)) : null;
    if (bytes !== null) names.hashes.set(sha256(bytes), `<content of ${path}>`);
    names.mtimes.add(String(stat.mtimeMs));
    return { path, stat, bytes };
  });
  // The journal first: what is in it gives its ids their places.
  const lines = [...(await rowsOf(scene)), said].map((line) => plain(line, names));
  for (const { path, stat, bytes } of files) {
    const link = stat.isSymbolicLink() ? readlinkSync(join(scene.live, path)) : "";
    const content = bytes === null ? "" : contentOf(path, bytes, names);
    lines.push(`${path} ${stat.mode.toString(8)} ${link} ${sha256(content)}`);
  }
  return sha256(lines.join("\n"));
}

function contentOf(path: string, bytes: Buffer, names: Names): Buffer | string {
  if (isIndex(path)) return entriesOf(bytes);
  return bytes.includes(0) || path.includes("/objects/") ? bytes : plain(bytes.toString("utf8"), names);
}

const systemErrors =
  /no space left on device|disk quota exceeded|input\/output error|permission denied|read-only file system|too many open files|interrupted system call/gi;

const plain = (text: string, { hashes, mtimes, ids }: Names): string =>
  text
    // The words of an error are told and decide nothing.
    .replace(/\bE[A-Z]{2,}: [^,"]*, \w+(?: '[^']*')?(?: -> '[^']*')?/g, "<error>")
    .replace(systemErrors, "<error>")
    .replace(/\b[0-9a-f]{64}\b/g, (hash) => hashes.get(hash) ?? idOf(hash, ids))
    .replace(/\b[0-9a-f]{24}\b/g, (id) => idOf(id, ids))
    .replace(/\b\d{13}\.\d+\b/g, (time) => (mtimes.has(time) ? "<now>" : "<then>"))
    // As long as the time in it.
    .replace(/(hook\.json",)\d+,<now>/g, "$1<now>")
    .replace(/(pid|group|startTime|ino)(\\?":\\?"?)\d+/g, "$1$2<number>")
    .replace(/\bpid([ =])\d+/g, "pid$1<number>")
    .replace(/\/process\/\d+/g, "/process/<number>")
    .replace(/"lease_expires_at":"[^"]*"/g, '"lease_expires_at":<time>');

function idOf(id: string, ids: Map<string, string>): string {
  if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
  return ids.get(id) ?? id;
}

/** Names and contents of what git has in an index, without the times and numbers of the files. */
function entriesOf(index: Buffer): string {
  if (index.subarray(0, 4).toString("latin1") !== "DIRC" || index.readUInt32BE(4) !== 2)
    return index.toString("latin1");
  const entries: string[] = [];
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const end = index.indexOf(0, at + 62);
    entries.push(`${index.readUInt32BE(at + 24).toString(8)} ${index.toString("latin1", at + 40, end)}`);
    at += Math.ceil((end - at + 1) / 8) * 8;
  }
  return entries.join("\n");
}

async function rowsOf(scene: Scene): Promise<readonly string[]> {
  const project = await projectOf(scene);
  if (project === undefined || !existsSync(journalFile(project))) return ["no journal"];
  const sql = await openLibsql(journalFile(project));
  const tables = sql.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  const rows = tables.flatMap(({ name }) =>
    sql
      .prepare(`SELECT * FROM ${String(name)} ORDER BY ${name === "receipts" ? "first_position" : 1}`)
      .all()
      .map((row) => `${String(name)} ${JSON.stringify({ ...row, ...leaseTimes(scene, row) })}`),
  );
  sql.close();
  return rows;
}

/** By the store's clock, which does not stand still. */
function leaseTimes(scene: Scene, { until, expires_at: end }: Readonly<Record<string, unknown>>): object {
  if (until === undefined) return {};
  return { until: null, expires_at: scene.isOlder(Number(end)) ? "as before" : "renewed" };
}
