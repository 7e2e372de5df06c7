// Task files that `harness validate --test` judges, to show that validation works where it is installed.
import type { Findings } from "./inspect-plan.ts";

interface Case {
  readonly name: string;
  readonly text: string;
  /** Part of the one error that must come out; null: there must be none. */
  readonly error: string | null;
}

const validation = { command: "true", timeout_seconds: 60 };
const task = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Task ${id}`,
  status: "pending",
  priority: "P1",
  depends_on: [],
  attempts: 0,
  max_attempts: 3,
  validation,
  ...more,
});
const file = (tasks: readonly unknown[], more: Record<string, unknown> = {}): string =>
  JSON.stringify({ version: 2, created: "2026-01-31T12:00:00Z", session_config: {}, tasks, ...more });

export const validateCases: readonly Case[] = [
  { name: "a plan without tasks", text: file([]), error: null },
  { name: "tasks that depend on each other", text: file([task("a"), task("b", { depends_on: ["a"] })]), error: null },
  { name: "fields nobody knows", text: file([task("a", { owner: "ada" })], { team: "x" }), error: null },
  { name: "a task that nothing judges", text: file([task("a", { validation: undefined })]), error: null },
  { name: "no JSON", text: '{"version": 2, "tasks": [', error: "ends too early" },
  { name: "a key that stands twice", text: '{"version": 2, "version": 2, "tasks": []}', error: "twice" },
  { name: "a list instead of a plan", text: "[]", error: "must hold an object" },
  { name: "a newer version", text: file([], { version: 3 }), error: "version" },
  { name: "no tasks at all", text: '{"version": 2}', error: "tasks" },
  { name: "an id that leads out of its folder", text: file([task("../a")]), error: "tasks[0].id" },
  { name: "an id that stands twice", text: file([task("a"), task("a")]), error: "tasks[1].id" },
  {
    name: "a dependency that does not exist",
    text: file([task("a", { depends_on: ["nobody"] })]),
    error: "tasks[0].depends_on[0]",
  },
  {
    name: "tasks that wait for each other",
    text: file([task("a", { depends_on: ["b"] }), task("b", { depends_on: ["a"] })]),
    error: "-> ",
  },
];

/** What came out otherwise than planned. */
export const wrongCases = (inspect: (text: string, file: string) => Findings): readonly string[] =>
  validateCases.flatMap(({ name, text, error }) => {
    const { errors } = inspect(text, "case.json");
    const isRight = error === null ? errors.length === 0 : errors.length === 1 && errors[0]?.includes(error);
    return isRight
      ? []
      : [`${name}: planned was ${error ?? "no error"}, found was ${errors.join(" | ") || "no error"}`];
  });
