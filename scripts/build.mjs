// Bundles src/ into dist/. `--release` starts from an empty dist/ and adds type declarations.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const chunks = join(root, "dist/chunks");
const daysAnOldChunkIsKept = 14;
const release = process.argv.includes("--release");

if (release) rmSync(join(root, "dist"), { recursive: true, force: true });

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { cli: "src/surfaces/cli/main.ts", index: "src/index.ts" },
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["libsql"],
  sourcemap: true,
  // The banner goes into every file: to Node a hashbang is a comment there. Bundled CommonJS needs a `require`.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
  write: false,
}).catch(() => process.exit(1)); // esbuild has said why

mkdirSync(chunks, { recursive: true });
// Chunks first, so that an entry never names a chunk that is not there yet.
const isChunk = (file) => dirname(file.path) === chunks;
for (const file of [...outputFiles.filter(isChunk), ...outputFiles.filter((file) => !isChunk(file))]) {
  replaceFile(file.path, file.contents);
}
chmodSync(join(root, "dist/cli.js"), 0o755);
removeOldChunks(new Set(outputFiles.map((file) => file.path)));
if (release) emitDeclarations();

// Renamed into place: another process may be starting from this file.
function replaceFile(path, contents) {
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

// A mission runs for days and loads its commands lazily, so the chunks of earlier builds stay for it.
function removeOldChunks(current) {
  const oldest = Date.now() - daysAnOldChunkIsKept * 24 * 3600 * 1000;
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    if (!current.has(path) && statSync(path).mtimeMs < oldest) rmSync(path);
  }
}

function emitDeclarations() {
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
