// Preloaded into a process that is to die: before its n-th step that changes anything, it kills itself.
const fs = require("node:fs");
const promises = require("node:fs/promises");
const children = require("node:child_process");
const { syncBuiltinESMExports } = require("node:module");

const at = Number(process.env.DIE_AT);
let steps = 0;
function step() {
  steps += 1;
  if (steps === at) {
    process.kill(process.pid, "SIGKILL");
    // The signal comes before the next instruction of ours, or at the latest during this.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
  }
}

const writes = (flags) => (typeof flags === "number" ? (flags & 3) !== 0 : !/^rs?$/.test(flags ?? "r"));
function wrap(holder, name, counts = () => true) {
  const original = holder[name];
  holder[name] = (...args) => {
    if (counts(...args)) step();
    return original.apply(holder, args);
  };
}

for (const name of ["rename", "unlink", "writeFile", "mkdir", "mkdtemp", "rmdir", "rm", "copyFile", "symlink", "chmod"])
  wrap(promises, name);
for (const name of [
  "renameSync",
  "unlinkSync",
  "writeFileSync",
  "writeSync",
  "mkdirSync",
  "rmSync",
  "symlinkSync",
  "chmodSync",
])
  wrap(fs, name);
wrap(promises, "open", (_path, flags) => writes(flags));
wrap(fs, "openSync", (_path, flags) => writes(flags));
wrap(children, "spawn");
syncBuiltinESMExports();
process.on("exit", () => fs.appendFileSync(process.env.STEPS_TO, `${steps}\n`));
