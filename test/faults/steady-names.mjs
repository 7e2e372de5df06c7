// Loaded before the program under test: temporary files get the same names in every run, so that strace can be told
// by path which calls to break. Ids of commands and runs stay random, as they must never repeat.
import crypto from "node:crypto";
import { default as filesystem, mkdirSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";

const { randomBytes } = crypto;
/** 6: drafts of the workspaces; 16: the id of a new project. */
const steadySizes = new Set([6, 16]);
let folders = 0;

crypto.randomUUID = () => "00000000-0000-4000-8000-000000000000";
crypto.randomBytes = (size, ...rest) =>
  steadySizes.has(size) && rest.length === 0 ? Buffer.alloc(size, 0xab) : randomBytes(size, ...rest);
filesystem.mkdtempSync = (prefix) => {
  folders += 1;
  const path = join(dirname(prefix), `steady-${folders}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
};
fs.mkdtemp = async (prefix) => filesystem.mkdtempSync(prefix);
syncBuiltinESMExports();
