// I5, I7: what an agent leaves may be anything. Real files, in a real checkout.
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { mostLeft, nothingLeft } from "../../protocol/left.ts";
import { makeRealGit, openSlot, type RealGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

async function collected(leave: (path: string, real: RealGit) => void, rootPrefix = "") {
  const real = await makeRealGit({ rootPrefix });
  const opening = await openSlot(real.workspaces, "task-1");
  leave(opening.path, real);
  try {
    return value(await real.workspaces.collect(opening));
  } finally {
    await real.dispose();
  }
}
const results = (path: string): string => {
  mkdirSync(join(path, "search_results"), { recursive: true });
  return join(path, "search_results");
};

test("I5: a link in place of the handoff, or of its folder, is not followed", async () => {
  const file = await collected((path) => {
    mkdirSync(join(path, "state"));
    symlinkSync("/etc/passwd", join(path, "state/handoff.json"));
  });
  expect(file).toEqual({ ...nothingLeft, untaken: [{ what: "state/handoff.json", why: "is a link" }] });
  const folder = await collected((path, { directory }) => {
    mkdirSync(join(directory, "elsewhere"));
    writeFileSync(join(directory, "elsewhere/handoff.json"), '{"phase": "x"}');
    symlinkSync(join(directory, "elsewhere"), join(path, "state"));
  });
  expect(folder).toEqual({
    ...nothingLeft,
    untaken: [{ what: "state/", why: "state is a link or a file, not a folder" }],
  });
});

test("I7: a state root that was replaced by a link leads nowhere", async () => {
  const left = await collected((path, { directory }) => {
    results(join(directory, "elsewhere"));
    writeFileSync(join(directory, "elsewhere/search_results/a.txt"), "not yours\n");
    execFileSync("rm", ["-r", path]);
    symlinkSync(join(directory, "elsewhere"), path);
  }, "pack");
  expect(left.untaken).toEqual([{ what: "pack/search_results/", why: "pack is a link or a file, not a folder" }]);
  expect(left.results).toEqual([]);
});

test("I7: what is no small text of its own is named and not taken; the rest is", async () => {
  const left = await collected((path, { directory }) => {
    const folder = results(path);
    writeFileSync(join(folder, "good.json"), '{"found": 1}');
    writeFileSync(join(folder, "line\nbreak.txt"), "fine\n");
    writeFileSync(join(folder, "empty.txt"), "\n");
    writeFileSync(join(folder, "bytes.bin"), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(folder, "nul.txt"), "a\0b");
    writeFileSync(join(folder, "huge.txt"), "");
    truncateSync(join(folder, "huge.txt"), 100 * 1024 * 1024);
    mkdirSync(join(folder, "folder"));
    symlinkSync("/etc/passwd", join(folder, "link.txt"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    writeFileSync(join(directory, "other"), "another's\n");
    linkSync(join(directory, "other"), join(folder, "second-name.txt"));
  });
  expect(left).toEqual({
    handoff: null,
    results: [
      { name: "good.json", text: '{"found": 1}' },
      { name: "line\\nbreak.txt", text: "fine\n" },
    ],
    untaken: [
      ["bytes.bin", "is no UTF-8 text"],
      ["empty.txt", "is empty"],
      ["folder", "is a folder"],
      ["huge.txt", `is larger than ${mostLeft.resultBytes} bytes`],
      ["link.txt", "is a link"],
      ["nul.txt", "is no text"],
      ["pipe", "is a named pipe"],
      ["second-name.txt", "has more than one name (a hard link)"],
    ].map(([name, why]) => ({ what: `search_results/${name}`, why })),
  });
});

test("I7: of ten thousand files the first are taken, and the others are counted", async () => {
  const left = await collected((path) => {
    const folder = results(path);
    for (let n = 0; n < 10_000; n++) writeFileSync(join(folder, `${String(n).padStart(5, "0")}.txt`), `${n}\n`);
  });
  expect([left.results.length, left.results.at(-1)?.name, left.untaken]).toEqual([
    mostLeft.results,
    "00039.txt",
    [{ what: "search_results/", why: "9960 more files: the first 40 by name were looked at" }],
  ]);
});

test.skipIf(process.getuid?.() === 0)("I7: a file that may not be read is named", async () => {
  const left = await collected((path) => {
    writeFileSync(join(results(path), "closed.txt"), "x\n");
    chmodSync(join(path, "search_results/closed.txt"), 0);
  });
  expect(left.untaken).toEqual([{ what: "search_results/closed.txt", why: "cannot be opened (EACCES)" }]);
});
