import { expect, test } from "vitest";
import { chooseSandbox, type SandboxFacts } from "./choose-sandbox.ts";

const modes = ["auto", "required", "off"] as const;
const facts = { workspace: "clone", lack: null, consent: false } as const;

/** What comes of it, in a word: the sandbox, or the kind of the failure. */
function outcomes(more: Partial<SandboxFacts>): readonly string[] {
  return modes.map((mode) => {
    const chosen = chooseSandbox({ ...facts, ...more, wanted: { mode, network: "off", home: [], where: null } });
    return chosen.ok ? `${chosen.value.use}, network ${chosen.value.network}` : chosen.failure.kind;
  });
}

test("PR-10: what was asked for is what there is, or nothing runs – never less without the user's word", () => {
  const [boxed, none] = ["bubblewrap, network off", "none, network on"];
  expect(outcomes({})).toEqual([boxed, boxed, none]);
  expect(outcomes({ lack: "not installed" })).toEqual(["trust", "env_setup", none]);
  expect(outcomes({ lack: "not installed", consent: true })).toEqual([none, "env_setup", none]);
  expect(outcomes({ workspace: "worktree" })).toEqual([none, "config", none]);
  expect(outcomes({ workspace: "in-place" })).toEqual([none, "config", none]);
});
