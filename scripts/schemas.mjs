// Writes schemas/*.schema.json from the schemas in src/protocol. A test says when they are out of date.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const folder = join(root, "schemas");

// Bundled first: the oldest Node we support does not run TypeScript.
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ["src/protocol/schemas.ts"],
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  write: false,
}).catch(() => process.exit(1)); // esbuild has said why

const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { publishedSchemas } = await import(`data:text/javascript;base64,${code}`);

mkdirSync(folder, { recursive: true });
const files = Object.entries(publishedSchemas()).map(([name, schema]) => {
  const path = join(folder, name);
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);
  return path;
});

const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
const { status } = spawnSync(process.execPath, [biome, "format", "--write", ...files], { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(1);
