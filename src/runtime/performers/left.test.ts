import { expect, test } from "vitest";
import { createRedactor } from "../../kit/redact.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { type LeftFiles, mostLeft, nothingLeft } from "../../protocol/left.ts";
import { collectLeft } from "./left.ts";

const canary = "c4n4ry-5ecret";

function collect(found: Outcome<LeftFiles>) {
  const ports = { redactor: createRedactor({ values: [canary] }), workspaces: { collect: async () => found } };
  return collectLeft({ effect: { path: "/w", base: "b" }, ports } as unknown as Parameters<typeof collectLeft>[0]);
}

test("I7: a result longer than a finding becomes numbered parts of one file", async () => {
  const text = "x".repeat(202_352);
  const { findings } = await collect(succeeded({ ...nothingLeft, results: [{ name: "big.json", text }] }));
  expect(findings.map(({ title }) => title)).toEqual(
    Array.from({ length: 11 }, (_, at) => `big.json (part ${at + 1} of 11)`),
  );
  expect(findings.map(({ text: part }) => part).join("")).toBe(text);
  expect(new Set(findings.map(({ file }) => file.hash)).size).toBe(1);
});

test("SEC: secrets are taken out before a text is cut, out of names and of what is wrong as well", async () => {
  const text = `${"x".repeat(mostLeft.finding - 5)}${canary}`;
  const left = await collect(
    succeeded({
      handoff: JSON.stringify({ phase: canary, critical_files: [canary] }),
      results: [{ name: `${canary}.txt`, text }],
      untaken: [{ what: `search_results/${canary}`, why: "is a link" }],
    }),
  );
  expect(JSON.stringify(left)).not.toContain(canary.slice(0, 5));
  expect(left.handoff?.handoff).toEqual({
    ...{ phase: "[redacted]", completed: [], nextStep: "", criticalFiles: ["[redacted]"], notes: "" },
  });
});

test("I5: what is malformed is told with its reason, and told as something else once it is changed", async () => {
  const untaken = async (handoff: string) => (await collect(succeeded({ ...nothingLeft, handoff }))).untaken;
  const [first, again, other] = [await untaken("{"), await untaken("{"), await untaken("{ ")];
  expect(first).toMatchObject([{ what: "state/handoff.json" }]);
  expect([again[0]?.hash === first[0]?.hash, other[0]?.hash === first[0]?.hash]).toEqual([true, false]);
});

test("I5: a workspace that cannot be looked at is told, and ends nothing", async () => {
  const left = await collect(failed({ kind: "env_setup", message: "disk full" }));
  expect(left).toMatchObject({ handoff: null, findings: [], untaken: [{ what: "the workspace", why: "disk full" }] });
});
