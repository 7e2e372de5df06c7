// package.json, and the package manager its lock file belongs to.
import { valueAt } from "../config/merge.ts";
import type { Finding } from "./candidate.ts";
import type { Look } from "./look.ts";

interface Manager {
  readonly name: string;
  readonly locks: readonly string[];
  readonly test: string;
  readonly install: string;
  /** Leaves the lock file as it is, and fails if it does not fit. */
  readonly installLocked: string;
}

const managers: readonly [Manager, ...Manager[]] = [
  {
    name: "npm",
    locks: ["package-lock.json", "npm-shrinkwrap.json"],
    test: "npm test",
    install: "npm install",
    installLocked: "npm ci",
  },
  {
    name: "pnpm",
    locks: ["pnpm-lock.yaml"],
    test: "pnpm test",
    install: "pnpm install",
    installLocked: "pnpm install --frozen-lockfile",
  },
  {
    name: "yarn",
    locks: ["yarn.lock"],
    test: "yarn test",
    install: "yarn install",
    installLocked: "yarn install --frozen-lockfile",
  },
  {
    name: "bun",
    locks: ["bun.lock", "bun.lockb"],
    // `bun test` is Bun's own runner, not the script.
    test: "bun run test",
    install: "bun install",
    installLocked: "bun install --frozen-lockfile",
  },
];

const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "workspaces"];

export async function detectNode(look: Look): Promise<Finding | null> {
  const manifest = await look.json("package.json");
  if (manifest === null) return null;
  const { manager, lock } = await managerOf(look, String(valueAt(manifest, ["packageManager"]) ?? ""));
  const needsInstall = lock !== null || dependencyFields.some((name) => valueAt(manifest, [name]) !== undefined);
  const hasTest = isRealTest(valueAt(manifest, ["scripts", "test"]));
  const via = lock === null ? "" : `, ${lock}`;
  return {
    basis: "declared",
    validation: hasTest ? manager.test : null,
    setup: needsInstall ? (lock === null ? manager.install : manager.installLocked) : null,
    why: (hasTest ? 'package.json has a script "test"' : 'package.json, but no script "test"') + via,
    tools: manager.name === "bun" ? ["bun"] : ["node", manager.name],
    dependencies: needsInstall ? "node_modules" : null,
  };
}

/** By the lock file; without one by `packageManager`, such as `pnpm@9.1.0`; else npm. */
async function managerOf(look: Look, named: string): Promise<{ manager: Manager; lock: string | null }> {
  const preferred = managers.find(({ name }) => named.startsWith(`${name}@`));
  for (const manager of preferred === undefined ? managers : [preferred]) {
    const lock = await look.first(...manager.locks);
    if (lock !== null) return { manager: await modern(manager, named, look), lock };
  }
  return { manager: preferred ?? managers[0], lock: null };
}

/** Yarn from version 2 on calls the same thing by another name. */
async function modern(manager: Manager, named: string, look: Look): Promise<Manager> {
  if (manager.name !== "yarn") return manager;
  const isModern = /^yarn@[2-9]/.test(named) || (await look.first(".yarnrc.yml")) !== null;
  return isModern ? { ...manager, installLocked: "yarn install --immutable" } : manager;
}

/** `npm init` writes a script that always fails. */
const isRealTest = (script: unknown): boolean =>
  typeof script === "string" && script.trim() !== "" && !script.includes("no test specified");
