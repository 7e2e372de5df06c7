// Bundles src/ into dist/. `--release` starts from an empty dist/ and adds type declarations.
//
// dist/cli.js is small, CommonJS (which Node starts sooner than a module) and answers glances by itself; everything else
// is ES modules (.mjs) that it loads when they are needed.

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

const common = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  sourcemap: true,
  logLevel: "warning",
  write: false,
};

const modules = build({
  ...common,
  entryPoints: { main: "src/surfaces/cli/main.ts", inside: "src/surfaces/cli/inside.ts", index: "src/index.ts" },
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  splitting: true,
  format: "esm",
  external: ["libsql"],
  // Bundled CommonJS needs a `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});

const start = build({
  ...common,
  entryPoints: { cli: "src/surfaces/cli/start.ts" },
  format: "cjs",
  banner: { js: "#!/usr/bin/env node" },
  plugins: [
    {
      name: "the rest is a module of its own",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/(main|inside)\.ts$/ }, ({ path }) => ({
          path: path.replace(/ts$/, "mjs"),
          external: true,
        })),
    },
  ],
});

const outputs = await Promise.all([modules, start]).catch(() => process.exit(1)); // esbuild has said why
const outputFiles = outputs.flatMap((output) => output.outputFiles);

mkdirSync(chunks, { recursive: true });
replaceFile(join(root, "dist/package.json"), '{ "type": "commonjs" }\n');
// Chunks first and the command last, so that none ever names a file that is not there yet.
const turnOf = ({ path }) => (dirname(path) === chunks ? 0 : path.includes("/cli.js") ? 2 : 1);
for (const file of outputFiles.toSorted((a, b) => turnOf(a) - turnOf(b))) replaceFile(file.path, file.contents);
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
