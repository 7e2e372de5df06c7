import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfigLayers } from "../runtime/config.ts";
import { commandsOf } from "./project-config.ts";

/** What waits for trust, with these configurations of the user and the project. */
async function waiting(user: object, project: object): Promise<readonly string[]> {
  const place = mkdtempSync(join(tmpdir(), "harness-config-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const put = (path: string, config: object): void => {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), JSON.stringify(config));
  };
  put("user/harness/config.json", user);
  put("project/.harness/config.json", project);
  const env = { XDG_CONFIG_HOME: join(place, "user") };
  const layers = await loadConfigLayers({ root: join(place, "project"), env });
  if (!layers.ok) throw new Error(layers.failure.message);
  return commandsOf(layers.value, {});
}

const looks = { name: "research", prefix: "Find out.", gate: { outputs: ["notes.md"] } };
const runs = { name: "build", prefix: "Build it.", gate: { command: "make test" } };

test("I8, T: phases of a project whose gates run a command wait for trust, whole", async () => {
  const phases = [looks, runs];
  expect(await waiting({}, { phases })).toEqual([`phases of .harness/config.json: ${JSON.stringify(phases)}`]);
});

test("I8, T: phases that only look for files, a preset, and the user's own wait for nobody", async () => {
  expect(await waiting({}, { phases: [looks] })).toEqual([]);
  expect(await waiting({}, { phases: "standard" })).toEqual([]);
  expect(await waiting({ phases: [runs] }, {})).toEqual([]);
});
