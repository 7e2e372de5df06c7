// Loaded before the program under test: temporary files get the same names in every run, so that strace can be told
// by path which calls to break. The clock stands still, also for every git, so that commits of the same content have the
// same name. Ids of commands and runs stay random, as they must never repeat.
//
// CommonJS, because a module that is loaded first makes every start a third longer.
const child = require("node:child_process");
const crypto = require("node:crypto");
const filesystem = require("node:fs");
const fs = require("node:fs/promises");
const { syncBuiltinESMExports } = require("node:module");
const { basename, dirname, join } = require("node:path");

const { randomBytes } = crypto;
/** 6: drafts of the workspaces; 16: the id of a new project. */
const steadySizes = new Set([6, 16]);
/** 9: what is thrown away, several times in one process. */
const countedSize = 9;
let folders = 0;
let counted = 0;
const now = Number(process.env.HARNESS_STEADY_NOW);

crypto.randomUUID = () => "00000000-0000-4000-8000-000000000000";
if (now > 0) {
  Date.now = () => now;
  const date = `@${now / 1_000} +0000`;
  const { spawn } = child;
  child.spawn = (file, args, options) => {
    if (basename(file) !== "git") return spawn(file, args, options);
    const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, ...options.env };
    return spawn(file, args, { ...options, env });
  };
}
crypto.randomBytes = (size, ...rest) => {
  if (rest.length > 0) return randomBytes(size, ...rest);
  if (size === countedSize) {
    counted += 1;
    return Buffer.alloc(size, counted);
  }
  return steadySizes.has(size) ? Buffer.alloc(size, 0xab) : randomBytes(size);
};
filesystem.mkdtempSync = (prefix) => {
  folders += 1;
  const path = join(dirname(prefix), `steady-${folders}`);
  filesystem.mkdirSync(path, { mode: 0o700 });
  return path;
};
fs.mkdtemp = async (prefix) => filesystem.mkdtempSync(prefix);
syncBuiltinESMExports();
