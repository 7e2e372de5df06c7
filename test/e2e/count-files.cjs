// Loaded before the program (NODE_OPTIONS=--require): notes which files it opens itself and how much it reads of them,
// and whether more than its first module was loaded. Written to $COUNT_FILES when it ends.
const fs = require("node:fs");
const { openSync, readSync, readFileSync, writeFileSync } = fs;

const read = {};
const paths = new Map();
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  paths.set(fd, path);
  read[path] ??= 0;
  return fd;
};
fs.readSync = (fd, ...rest) => {
  const count = readSync(fd, ...rest);
  if (paths.has(fd)) read[paths.get(fd)] += count;
  return count;
};
fs.readFileSync = (path, ...rest) => {
  const content = readFileSync(path, ...rest);
  if (typeof path === "string") read[path] = (read[path] ?? 0) + Buffer.byteLength(content);
  return content;
};
process.on("exit", () => {
  const whole = process.moduleLoadList.includes("NativeModule child_process");
  writeFileSync(process.env.COUNT_FILES, JSON.stringify({ whole, read }));
});
