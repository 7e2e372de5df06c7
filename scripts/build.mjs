// Bundles src/ into dist/. `--release` starts from an empty dist/ and adds type declarations.
//
// dist/cli.js is small and answers glances by itself. The rest of the program is one script, dist/chunks/main-*.js, in
// which a module runs when it is first needed; beside it lies what V8 made of it (scripts/compile.mjs). All of that is
// CommonJS, which Node starts sooner than modules. The library, dist/index.mjs, is ES modules.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const chunks = join(root, "dist/chunks");
const hoursAnOldChunkIsKept = 24;
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
  external: ["libsql"],
};
const script = {
  ...common,
  format: "cjs",
  define: { "import.meta.dirname": "__dirname" },
  // What is run as a script cannot import.
  supported: { "dynamic-import": false },
};

const library = filesOf({
  ...common,
  entryPoints: { index: "src/index.ts" },
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  splitting: true,
  format: "esm",
  // Bundled CommonJS needs a `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});

const inside = filesOf({ ...script, entryPoints: { inside: "src/surfaces/cli/inside.ts" } });

const main = await filesOf({
  ...script,
  entryPoints: { main: "src/surfaces/cli/main.ts" },
  entryNames: "chunks/[name]-[hash]",
  banner: { js: "(function (exports, require, module, __filename, __dirname) {" },
  footer: { js: "})" },
});
const mainPath = main.find(({ path }) => path.endsWith(".js")).path;

const loadMain = `
  import { join } from "node:path";
  import { run, scriptOf } from "./compiled.ts";
  const path = join(__dirname, "chunks", ${JSON.stringify(basename(mainPath))});
  export const { ended } = run(scriptOf(path), path);
`;
const start = filesOf({
  ...script,
  entryPoints: { cli: "src/surfaces/cli/start.ts" },
  banner: { js: "#!/usr/bin/env node" },
  plugins: [
    {
      name: "the rest is loaded when it is needed",
      setup: ({ onLoad, onResolve }) => {
        onResolve({ filter: /^\.\/inside\.ts$/ }, () => ({ path: "./inside.js", external: true }));
        onLoad({ filter: /\/cli\/main\.ts$/ }, ({ path }) => ({
          contents: loadMain,
          loader: "js",
          resolveDir: dirname(path),
        }));
      },
    },
  ],
});

const outputFiles = (await Promise.all([library, inside, main, start])).flat();

mkdirSync(chunks, { recursive: true });
replaceFile(join(root, "dist/package.json"), '{ "type": "commonjs" }\n');
// Chunks first and the command last, so that none ever names a file that is not there yet.
const turnOf = ({ path }) => (dirname(path) === chunks ? 0 : path.includes("/cli.js") ? 2 : 1);
const [first, ...rest] = [0, 1, 2].map((turn) => outputFiles.filter((file) => turnOf(file) === turn));
for (const { path, contents } of first) replaceFile(path, contents);
compile();
for (const { path, contents } of rest.flat()) replaceFile(path, contents);
chmodSync(join(root, "dist/cli.js"), 0o755);
removeOldChunks(new Set(outputFiles.map((file) => file.path)));
if (release) emitDeclarations();

function filesOf(options) {
  return build(options).then(
    ({ outputFiles }) => outputFiles,
    () => process.exit(1), // esbuild has said why
  );
}

function compile() {
  const args = [join(root, "scripts/compile.mjs"), mainPath];
  const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"], timeout: 60_000, killSignal: "SIGKILL" };
  const { status } = spawnSync(process.execPath, args, options);
  // The program is the same without, and starts more slowly.
  if (status !== 0) console.error(`build: ${args.join(" ")} failed; harness will start more slowly`);
}

// Renamed into place: another process may be starting from this file.
function replaceFile(path, contents) {
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

// Whoever is just starting from an earlier build still needs its chunks.
function removeOldChunks(current) {
  const oldest = Date.now() - hoursAnOldChunkIsKept * 3600 * 1000;
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    const isCurrent = current.has(path) || path.startsWith(`${mainPath}.`);
    if (!isCurrent && statSync(path).mtimeMs < oldest) rmSync(path);
  }
}

function emitDeclarations() {
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
