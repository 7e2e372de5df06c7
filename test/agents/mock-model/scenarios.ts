// The scenarios on disk: one JSON file each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Scenario } from "./scenario.ts";

export const scenarioNamed = (name: string): Scenario =>
  Scenario.parse(JSON.parse(readFileSync(join(import.meta.dirname, "scenarios", `${name}.json`), "utf8")));
