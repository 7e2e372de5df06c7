// .harness/tasks.json as a plan to adopt (rules F3, F6, F7): tasks in phases, with criteria and the files they write.
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import type { Outcome } from "../../protocol/failure.ts";
import type { TaskKind } from "../../protocol/task.ts";
import type { Dialect } from "../tasks-file/dialect.ts";
import { readPlan } from "../tasks-file/read.ts";
import { type Fields, isFields, kindOf } from "../tasks-file/reading.ts";
import { createdIn, dependencyNames, fieldsOf, readForeignTask, without } from "./foreign-entry.ts";

/** Never throws and changes nothing. */
export const readPhaseTasks = (text: string, name: string): Outcome<AdoptedPlan> => readPlan(text, name, phaseTasks);

const phaseTasks: Dialect = {
  open(reading, value) {
    if (!isFields(value)) {
      const remedy = 'Start the file with {"metadata": {…}, "tasks": […]}.';
      return reading.refuse([], `must hold an object, not ${kindOf(value)}`, remedy);
    }
    const { metadata } = value;
    if (metadata !== undefined && !isFields(metadata)) {
      reading.warn(["metadata"], `${kindOf(metadata)} instead of an object is kept as it is`);
    }
    const created = Object.hasOwn(value, "created") ? createdIn(value) : createdIn(fieldsOf(metadata), ["metadata"]);
    return { list: ["tasks"], entries: value.tasks, created, rest: without(value, "tasks") };
  },
  read: (reading, path, entry, created) => readForeignTask(reading, path, entry, { created, kind: kindOfTask(entry) }),
  dependsOn: dependencyNames,
};

/** What QA found wrong was added as tasks of its own. */
const kindOfTask = ({ id }: Fields): TaskKind => (/^eng-fix-/i.test(String(id)) ? "fix" : "task");
