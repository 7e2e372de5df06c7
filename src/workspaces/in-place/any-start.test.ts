// A6: whatever the user had and whatever the agent did, a roll back gives the checkout back byte by byte, and every
// file of the agent's is in a rescue.
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openSlot, plainGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { makeCheckout } from "./checkout.fixture.ts";
import { filesOf, stateOf } from "./checkout-state.fixture.ts";

const cases = Number(process.env.HARNESS_HERE_CASES ?? "100");

const path = fc.constantFrom("a", "b.txt", "d", "d/x", "d/y", "d/e/z", "ü ñ", "-dash", "ignored.txt", "build/o");
const text = fc.constantFrom("", "1\n", "2\r\n", "\0\xff", "a longer text\n".repeat(50));
const git = (...args: readonly string[]) => ({ do: "git" as const, args });
const file = fc.oneof(
  fc.record({ do: fc.constant("write" as const), path, text }),
  fc.record({ do: fc.constant("remove" as const), path }),
  fc.record({ do: fc.constant("link" as const), path, to: fc.constantFrom("a", "../out", "nowhere") }),
  fc.record({ do: fc.constant("mode" as const), path, mode: fc.constantFrom(0o755, 0o644) }),
);
const stage = fc.oneof(
  path.map((one) => git("add", "--", one)),
  path.map((one) => git("rm", "-q", "--cached", "--", one)),
  fc.constant(git("add", "-A")),
);
const any = fc.oneof(
  { weight: 6, arbitrary: file },
  { weight: 2, arbitrary: stage },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      git("commit", "-q", "--allow-empty", "-m", "agent"),
      git("commit", "-q", "-a", "--amend", "-m", "agent amends"),
      git("stash", "-q", "-u"),
      git("stash", "pop", "-q"),
      git("switch", "-q", "-c", "agents"),
      git("switch", "-q", "--detach"),
      git("reset", "-q", "--hard", "HEAD~1"),
      git("checkout", "-q", "-f", "side"),
      git("merge", "-q", "side"),
      git("rebase", "-q", "side"),
      git("cherry-pick", "side"),
      git("rm", "-q", "-rf", "."),
      git("gc", "-q", "--prune=now"),
      { do: "write" as const, path: ".gitignore", text: "*\n" },
      { do: "write" as const, path: ".git/index.lock", text: "" },
    ),
  },
);
type Act = typeof any extends fc.Arbitrary<infer T> ? T : never;

/** Acts as a person or agent does: what git or the file system refuses is passed over. */
async function act(checkout: string, acts: readonly Act[]): Promise<void> {
  for (const one of acts) await perform(checkout, one).catch(() => undefined);
}

async function perform(checkout: string, one: Act): Promise<void> {
  if (one.do === "git") {
    await plainGit(checkout, ...one.args);
    return;
  }
  const at = join(checkout, one.path);
  if (one.do === "mode") return chmod(at, one.mode);
  if (one.do === "remove") return rm(at, { recursive: true });
  await mkdir(dirname(at), { recursive: true });
  if (one.do === "write") return writeFile(at, one.text, "latin1");
  await rm(at, { recursive: true, force: true });
  return symlink(one.to, at);
}

const ignored = /^(ignored\.txt|build)(\/|$)/;
const withoutIgnored = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !ignored.test(name)));

test("A6, PR-3: any start and any agent: rolled back, the checkout is as it was, and the agent's files are rescued", {
  timeout: 3_600_000,
}, async () => {
  let [changed, refused] = [0, 0];
  const property = fc.asyncProperty(
    fc.array(file, { maxLength: 6 }),
    fc.array(fc.oneof(file, stage), { maxLength: 6 }),
    fc.array(any, { minLength: 1, maxLength: 8 }),
    async (base, users, agents) => {
      const here = await makeCheckout({ withChanges: true });
      try {
        await act(here.checkout, [
          git("switch", "-q", "-c", "side"),
          { do: "write", path: "b.txt", text: "side\n" },
          git("add", "-A"),
          git("commit", "-q", "-m", "side"),
          git("switch", "-q", "main"),
          ...base,
          git("add", "-A"),
          git("commit", "-q", "--allow-empty", "-m", "base"),
          ...users,
        ]);
        const before = await stateOf(here.checkout);
        const opened = await here.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
        if (!opened.ok) {
          refused += 1;
          expect(await stateOf(here.checkout)).toEqual(before);
          return;
        }
        await act(here.checkout, agents);
        const left = await stateOf(here.checkout);
        const end = { path: here.checkout, task: "task-1", attempt: 1, fence: 1 };
        value(await here.workspaces.archive(end));
        const after = await stateOf(here.checkout);
        expect({ ...after, files: withoutIgnored(after.files) }).toEqual({
          ...before,
          files: withoutIgnored(before.files),
        });
        const kept = await Promise.all((await here.putAway()).map(async (name) => filesOf(await here.restored(name))));
        const lost = Object.entries(left.files).filter(
          ([name, bytes]) => after.files[name] !== bytes && !kept.some((files) => files[name] === bytes),
        );
        expect(lost).toEqual([]);
        if (JSON.stringify(left) !== JSON.stringify(before)) changed += 1;
        // And the next attempt can begin there.
        await openSlot(here.workspaces, "task-1", { attempt: 2, fence: 2 });
      } finally {
        await here.dispose();
      }
    },
  );
  const seed = process.env.HARNESS_HERE_SEED;
  await fc.assert(property, { numRuns: cases, ...(seed === undefined ? { seed: 1 } : { seed: Number(seed) }) });
  console.log(`${cases} cases: ${changed} with changes of the agent's, ${refused} refused at the start`);
  expect(changed).toBeGreaterThan(cases / 2);
});
