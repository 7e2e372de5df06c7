// Whatever stands at the place of harness-tasks.json: a repair or one clear line, nothing lost, no hang.
import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { malformedPlaces, malformedTexts } from "../corpus/malformed.ts";
import { createTestProject } from "./project.ts";

const name = "harness-tasks.json";

test.for(malformedPlaces.map((place) => [place.name, place] as const))(
  "F5, F7: %s",
  async ([, { make, expects, says, titles }]) => {
    const project = createTestProject();
    project.dropRootsRights();
    const file = join(project.root, name);
    make(file);
    onTestFinished(() => chmodSync(project.root, 0o700));
    const before = look(project.root);
    const end = await project.harness("init", "--yes");
    expect([end.code, end.stdout + end.stderr]).toEqual([expects === "refuse" ? 10 : 0, expect.stringContaining(says)]);
    if (expects === "refuse") {
      expect(end.stderr).toMatch(/^error: .*\n(?:.+\n)? {2}next: .+\n$/);
      expect(end.stderr).toContain(project.root);
      expect(look(project.root)).toEqual(before);
    } else {
      expect(JSON.parse(readFileSync(file, "utf8")).tasks.map(({ title }: { title: string }) => title)).toEqual(titles);
      expect(JSON.parse((await project.must("status", "--json")).stdout).tasks).toMatchObject(
        titles.map((title) => ({ title })),
      );
    }
  },
);

/** What is there, without opening what must not be opened. */
function look(folder: string): unknown {
  return readdirSync(folder).map((entry) => {
    const path = join(folder, entry);
    const stats = lstatSync(path);
    const content = stats.isFile() && stats.size < 1_000_000 ? readFileSync(path, "utf8") : null;
    return [entry, stats.mode, stats.uid, stats.size, stats.ino, stats.mtimeMs, content];
  });
}

test("F7: every twentieth malformed text of the corpus, through the program: a plan, or exit 10 with one clear line", async () => {
  const some = malformedTexts.filter((_, place) => place % 20 === 0).filter(({ text }) => text().length < 100_000);
  for (const { name: what, text, expects } of some) {
    const project = createTestProject();
    const file = join(project.root, name);
    writeFileSync(file, text());
    const end = await project.harness("init", "--yes");
    const code = expects === "accept" ? 0 : 10;
    expect([what, end.code]).toEqual([what, code]);
    if (code !== 0)
      expect([what, end.stderr.split("\n")[0], readFileSync(file, "utf8")]).toEqual([
        what,
        expect.stringContaining(name),
        text(),
      ]);
  }
}, 600_000);

test("F5: with a journal, a damaged or deleted task file is rebuilt from it", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "One", "--validate", "test -f one");
  const file = join(project.root, name);
  const whole = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, "{");
  await project.must("pause");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(whole);
  renameSync(file, `${file}.gone`);
  await project.must("resume");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(whole);
});
