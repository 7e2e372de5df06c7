import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./place.fixture.ts";
import { TasksView } from "./tasks-view.ts";

let place: Place;
let view: TasksView;
beforeEach(() => {
  place = new Place();
  view = new TasksView(place);
});
afterEach(() => place.remove());

const name = "harness-tasks.json";
const files = () => readdirSync(place.root).filter((file) => file.startsWith(name));

test("F4: the file is replaced as a whole, and the one before is kept as .bak", async () => {
  await view.write("1\n", 1);
  expect(files()).toEqual([name]);
  await view.write("2\n", 2);
  await view.write("3\n", 3);
  expect([place.text(name), place.text(`${name}.bak`)]).toEqual(["3\n", "2\n"]);
  expect(files()).toEqual([name, `${name}.bak`]);
});

test("F4: .bak is never made from a file that does not parse", async () => {
  await view.write("1\n", 1);
  await view.write("2\n", 2);
  writeFileSync(place.path(name), '{"tasks": [');
  await view.write("3\n", 3);
  expect([place.text(name), place.text(`${name}.bak`)]).toEqual(["3\n", "1\n"]);
});

test("F4: a leftover temporary file is moved aside", async () => {
  writeFileSync(place.path(`${name}.tmp`), "half a fi");
  expect(await view.write("1\n", 1)).toBe(true);
  expect([place.text(name), place.text(`${name}.tmp.old`)]).toEqual(["1\n", "half a fi"]);
  expect(files()).toEqual([name, `${name}.tmp.old`]);
});

test("F4: a link at the temporary name is not followed", async () => {
  const precious = join(place.folder, "precious");
  writeFileSync(precious, "precious");
  symlinkSync(precious, place.path(`${name}.tmp`));
  await view.write("1\n", 1);
  expect(readFileSync(precious, "utf8")).toBe("precious");
  expect(place.text(name)).toBe("1\n");
});

test("F4: a link in the place of the file itself is replaced, and what it points to is neither written nor copied", async () => {
  const precious = join(place.folder, "precious");
  writeFileSync(precious, "{}");
  symlinkSync(precious, place.path(name));
  await view.write("1\n", 1);
  expect([readFileSync(precious, "utf8"), place.text(name), files()]).toEqual(["{}", "1\n", [name]]);
});

test("F4: a leftover second link to the present file does no harm", async () => {
  await view.write("1\n", 1);
  await view.write("2\n", 2);
  // As after a crash between the backup and the rename: .bak is the present file already.
  rmSync(place.path(`${name}.bak`));
  linkSync(place.path(name), place.path(`${name}.bak`));
  linkSync(place.path(name), place.path(`${name}.bak.new`));
  await view.write("3\n", 3);
  expect([place.text(`${name}.bak`), files()]).toEqual(["2\n", [name, `${name}.bak`]]);
});

test("the same content is not written again, neither by us nor by a process that comes later", async () => {
  const inode = () => statSync(place.path(name)).ino;
  await view.write("1\n", 1);
  const first = inode();
  expect([await view.write("1\n", 2), await new TasksView(place).write("1\n", 2), inode()]).toEqual([
    false,
    false,
    first,
  ]);
});

test("a file that somebody touched is not taken for ours", async () => {
  await view.write("1\n", 1);
  expect(await view.shownPosition()).toBe(1);
  writeFileSync(place.path(name), "[1]\n");
  expect(await view.shownPosition()).toBe(null);
  expect(await view.write("1\n", 1)).toBe(true);
  expect([place.text(name), place.text(`${name}.bak`)]).toEqual(["1\n", "[1]\n"]);
});

test("F4: the next write is due after 250 ms, or twenty times as long as the last one took", async () => {
  expect(view.dueInMs()).toBe(0);
  await view.write("1\n", 1);
  expect(view.dueInMs()).toBe(250);
  place.now += 249;
  expect(view.dueInMs()).toBe(1);
  place.now += 1;
  expect(view.dueInMs()).toBe(0);

  const readings = [2_000, 2_050, 2_050];
  const slow = new TasksView({ root: place.root, elapsedMs: () => readings.shift() ?? 2_100 });
  await slow.write("2\n", 2);
  expect([slow.dueInMs(), slow.dueInMs()]).toEqual([950, 900]);
});

test("a failed write leaves the old file, no temporary one, and a stamp of nothing", async () => {
  await view.write("1\n", 1);
  mkdirSync(place.path(`${name}.bak`));
  await expect(view.write("2\n", 2)).rejects.toThrow("EISDIR");
  expect([place.text(name), view.stamp]).toEqual(["1\n", null]);
  expect(files()).not.toContain(`${name}.tmp`);
});
