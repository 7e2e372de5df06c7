import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Event } from "../../protocol/event.ts";
import { inboxFolder } from "./inbox-view.ts";
import { added, claimed, created, opened, opening, Place, runStarted } from "./place.fixture.ts";

let place: Place;
beforeEach(async () => {
  place = new Place();
  await place.append(created, added("task-001"), runStarted(), claimed("task-001"), opening("task-001"));
  await place.append(opened("task-001"));
});
afterEach(() => place.remove());

const found = (number: number, title: string, text = "it is slow"): Event => ({
  type: "agent.found",
  task: "task-001",
  attempt: 1,
  number,
  title,
  text,
});
const inbox = () => readdirSync(inboxFolder(place.root)).sort();

test("MCP4: a finding is a file of the inbox, named by when, who and what, with nothing of its title that could lead elsewhere", async () => {
  await place.append(found(1, "../../etc/passwd \u001b[2J"), found(2, "///"), found(3, "The Parser – slow?"));
  const publisher = place.publisher();
  await publisher.flush();
  expect(inbox()).toEqual([
    "19700101T000000-001-task-001-etc-passwd-2j.md",
    "19700101T000000-002-task-001-finding.md",
    "19700101T000000-003-task-001-the-parser-slow.md",
  ]);
  expect(readFileSync(join(inboxFolder(place.root), inbox()[0] ?? ""), "utf8")).toBe(
    "# ../../etc/passwd \\x1b[2J\n\nFound by the agent of task-001, attempt 1, 1970-01-01T00:00:00.007Z. Nobody has checked it.\n\nit is slow\n",
  );
  await publisher.close();
});

test("MCP4: each is written once, by whichever process: what the user took away does not come back", async () => {
  const first = place.publisher();
  await place.append(found(1, "one"));
  await first.flush();
  rmSync(join(inboxFolder(place.root), inbox()[0] ?? ""));
  await place.append(found(2, "two"));
  const second = place.publisher();
  await second.flush();
  await first.flush();
  expect(inbox()).toEqual(["19700101T000000-002-task-001-two.md"]);
  await first.close();
  await second.close();
});

test("MCP4: what died between the file and its note leaves one file; what cannot be written is told and tried again", async () => {
  symlinkSync("/nowhere", inboxFolder(place.root));
  const publisher = place.publisher();
  await place.append(found(1, "one"));
  await publisher.flush();
  expect(place.troubles.map(({ message }) => message)).toEqual([expect.stringContaining("search_results")]);
  rmSync(inboxFolder(place.root));
  await publisher.flush();
  rmSync(join(place.home, "inbox.json"));
  const next = place.publisher();
  await next.flush();
  expect(inbox()).toEqual(["19700101T000000-001-task-001-one.md"]);
  await publisher.close();
  await next.close();
});

test("MCP4: through a link that somebody put there nothing is written", async () => {
  const elsewhere = join(place.folder, "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, inboxFolder(place.root));
  const publisher = place.publisher();
  await place.append(found(1, "one"));
  await publisher.flush();
  expect([readdirSync(elsewhere), place.troubles.length]).toEqual([[], 1]);
  await publisher.close();
});
