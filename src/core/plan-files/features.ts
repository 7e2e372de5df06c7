// .harness/features.json as a plan to adopt (rules F3, F6, F7): a queue of features, each with claims to be shown true.
// The file is the list itself, or an object that holds it as `features`.
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import type { Outcome } from "../../protocol/failure.ts";
import type { TaskKind } from "../../protocol/task.ts";
import type { Dialect } from "../tasks-file/dialect.ts";
import { readPlan } from "../tasks-file/read.ts";
import { type Fields, isFields, kindOf } from "../tasks-file/reading.ts";
import { createdIn, dependencyNames, readForeignTask, without } from "./foreign-entry.ts";

/** Never throws and changes nothing. */
export const readFeatures = (text: string, name: string): Outcome<AdoptedPlan> => readPlan(text, name, features);

const features: Dialect = {
  open(reading, value) {
    if (Array.isArray(value)) return { list: [], entries: value, created: createdIn({}), rest: {} };
    if (!isFields(value)) {
      const remedy = 'Start the file with {"features": […]}.';
      return reading.refuse([], `must hold a list of features, not ${kindOf(value)}`, remedy);
    }
    const rest = without(value, "features");
    return { list: ["features"], entries: value.features, created: createdIn(value), rest };
  },
  read: (reading, path, entry, created) =>
    readForeignTask(reading, path, entry, { created, kind: kindOfFeature(entry) }),
  dependsOn: dependencyNames,
};

/** Issues found on the way were promoted to features of their own. */
const kindOfFeature = ({ id }: Fields): TaskKind => (/^f-fix-/i.test(String(id)) ? "fix" : "feature");
