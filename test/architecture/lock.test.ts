// The lock file installs anywhere: behind any mirror, without install scripts, on the oldest Node we promise.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { satisfies } from "semver";
import { expect, test } from "vitest";
import { root } from "./modules.ts";

const oldestNode = "20.19.0";

/** Ships its binary in a package of its own; the script only saves a few milliseconds. Development only. */
const mayHaveInstallScript = ["node_modules/esbuild"];

interface Entry {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const text = readFileSync(join(root, "package-lock.json"), "utf8");
const { packages } = JSON.parse(text) as { packages: Record<string, Entry> };
const entries = Object.entries(packages);

test("the lock has entries and not one address: run `npm run lock`", () => {
  expect(entries.length).toBeGreaterThan(50);
  expect(text.match(/https?:[^"]*|"resolved"/g) ?? []).toEqual([]);
});

test("no package needs an install script", () => {
  const scripted = entries.filter(([, entry]) => entry.hasInstallScript);
  expect(scripted.map(([name]) => name)).toEqual(mayHaveInstallScript);
  expect(scripted.filter(([, entry]) => !entry.dev)).toEqual([]);
});

test(`every package accepts Node ${oldestNode}`, () => {
  const refusing = entries.filter(([, entry]) => !satisfies(oldestNode, entry.engines?.node ?? "*"));
  expect(refusing.map(([name, entry]) => `${name} needs ${entry.engines?.node}`)).toEqual([]);
});
