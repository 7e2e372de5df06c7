import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { trustFile } from "./place.ts";
import { acceptances, dropAcceptances, isAccepted, keepAcceptance } from "./trust-store.ts";

let env = { HOME: "" };
beforeEach(() => {
  env = { HOME: mkdtempSync(join(tmpdir(), "trust-")) };
});
afterEach(() => rmSync(env.HOME, { recursive: true, force: true }));

const one = { root: "/a", hash: "1", what: ["make test"], at: 5 };
const known = async (root: string, hash: string) => {
  const found = await isAccepted(env, root, hash);
  return found.ok ? found.value : found.failure.kind;
};

test("T: an acceptance is for one text in one place", async () => {
  expect(await known("/a", "1")).toBe(false);
  await keepAcceptance(env, one);
  expect(await Promise.all([known("/a", "1"), known("/a", "2"), known("/b", "1")])).toEqual([true, false, false]);
});

test("T: the file is in the user's data, and nobody else's to read", async () => {
  await keepAcceptance(env, one);
  expect(trustFile(env)).toBe(join(env.HOME, ".local/share/harness/trust.json"));
  expect(trustFile({ ...env, XDG_DATA_HOME: "/data" })).toBe("/data/harness/trust.json");
  expect(trustFile({ ...env, XDG_DATA_HOME: "data" })).toBe(trustFile(env));
  expect([trustFile(env), dirname(trustFile(env))].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
});

test("T: accepted twice it is there once; dropped, the others stay", async () => {
  const other = { ...one, root: "/b" };
  for (const each of [one, { ...one, at: 6 }, other]) await keepAcceptance(env, each);
  expect(await acceptances(env)).toEqual({ ok: true, value: [{ ...one, at: 6 }, other] });
  expect(await dropAcceptances(env, ({ root }) => root === "/a")).toEqual({ ok: true, value: [{ ...one, at: 6 }] });
  expect(await acceptances(env)).toEqual({ ok: true, value: [other] });
});

test.each(["", "no json", '{"v":2,"accepted":[]}', '{"v":1,"accepted":[{"root":"/a"}]}', "null"])(
  "T: a file that holds %j accepts nothing, and is not written over",
  async (text) => {
    await keepAcceptance(env, one);
    writeFileSync(trustFile(env), text);
    expect(await known("/a", "1")).toBe("config");
    expect((await keepAcceptance(env, one)).ok).toBe(false);
    expect(readFileSync(trustFile(env), "utf8")).toBe(text);
  },
);
