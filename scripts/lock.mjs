// Writes package-lock.json so that it installs anywhere: resolved at a date when every platform's packages
// were complete, and without a single address (no mirror, no sponsor link).

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

// Newer releases of some tools lack packages for other platforms in part of the registry, and `npm ci` then
// stops with "Missing: … from lock file". Move the date only together with a passing `npm ci --dry-run`.
const cutOff = "2026-10-15";

npm("install", `--before=${cutOff}`, "--ignore-scripts", "--no-audit", "--no-fund");

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
for (const entry of Object.values(lock.packages)) {
  delete entry.funding;
  delete entry.resolved;
}
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);

npm("ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund");

function npm(...args) {
  const { status } = spawnSync("npm", args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
