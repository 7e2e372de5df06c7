import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { consentFile, consentsTo, dropConsents, keepConsent } from "./consent-store.ts";

function user(): { readonly HOME: string } {
  const HOME = mkdtempSync(join(tmpdir(), "harness-consent-"));
  onTestFinished(() => rmSync(HOME, { recursive: true, force: true }));
  return { HOME };
}

test("PR-10: consent is for one reason, readable by the user alone, and can be taken back", async () => {
  const env = user();
  expect(await consentsTo(env, "not installed")).toEqual({ ok: true, value: false });
  await keepConsent(env, "not installed");
  expect(await consentsTo(env, "not installed")).toEqual({ ok: true, value: true });
  expect(await consentsTo(env, "it lets a program read the home")).toEqual({ ok: true, value: false });
  expect(statSync(consentFile(env)).mode & 0o777).toBe(0o600);
  await dropConsents(env);
  expect(await consentsTo(env, "not installed")).toEqual({ ok: true, value: false });
});

test("PR-10: a file that cannot be read agrees to nothing", async () => {
  const env = user();
  await keepConsent(env, "not installed");
  writeFileSync(consentFile(env), "{");
  expect(await consentsTo(env, "not installed")).toMatchObject({ ok: false, failure: { kind: "config" } });
});
