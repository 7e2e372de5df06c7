import { existsSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isWorkLeft, placeMarker } from "./marker.ts";
import { added, claimed, completed, created, failed, Place } from "./place.fixture.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

const isLeft = () => place.source().look(isWorkLeft);

test("S3: work is left while something is pending, in progress or may be tried again", async () => {
  await place.append(created);
  expect(await isLeft()).toBe(false);
  await place.append(added("t-1"), added("t-2"));
  expect(await isLeft()).toBe(true);
  await place.append(claimed("t-1"), completed("t-1"), claimed("t-2"));
  expect(await isLeft()).toBe(true);
  await place.append(failed("t-2", false));
  expect(await isLeft()).toBe(true);
  await place.append(claimed("t-2"), failed("t-2", true));
  expect(await isLeft()).toBe(false);
});

test("S3: what is blocked by a task that failed for good is no work left", async () => {
  await place.append(created, added("t-1"), added("t-2"), claimed("t-1"), failed("t-1", true));
  await place.append({ type: "task.blocked", task: "t-2", by: "t-1" });
  expect(await isLeft()).toBe(false);
});

test("S3: the marker names the mission on one line, and goes when nothing is left", async () => {
  await placeMarker(place.root, "m-1");
  expect(place.text(".harness-active")).toBe("m-1\n");
  await placeMarker(place.root, null);
  await placeMarker(place.root, null);
  expect(existsSync(place.path(".harness-active"))).toBe(false);
});

test("S3: a marker made by hand stays as it is", async () => {
  writeFileSync(place.path(".harness-active"), "");
  await placeMarker(place.root, "m-1");
  expect(place.text(".harness-active")).toBe("");
});
