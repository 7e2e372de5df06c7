import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLineServer } from "./line-server.ts";

const linux = test.runIf(process.platform === "linux");

async function serve(more: { maxConnections?: number; idleMs?: number } = {}) {
  // Longer than a socket's path may be.
  const directory = mkdtempSync(join(tmpdir(), `harness-${"x".repeat(120)}-`));
  const asked: string[] = [];
  const server = await openLineServer({
    directory,
    maxBytes: 1_000,
    ...more,
    answer: async (line) => {
      asked.push(line);
      if (line === "break") throw new Error("broken");
      // As long as it takes until one that came later is cut off.
      if (line === "slow") await say(directory, "never ends");
      return line.toUpperCase();
    },
  });
  onTestFinished(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { asked, directory };
}

/** What comes back for these pieces until the other side closes; through a directory of its own, for the path is long. */
function say(directory: string, ...pieces: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = createConnection(pathTo(directory), () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    socket.on("error", () => undefined).on("close", () => resolve(text));
  });
}

function pathTo(directory: string): string {
  const short = mkdtempSync(join(tmpdir(), "h-"));
  onTestFinished(() => rmSync(short, { recursive: true, force: true }));
  symlinkSync(directory, join(short, "d"));
  return join(short, "d/socket");
}

linux("a line is answered with a line, in whatever pieces it comes, and only the first", async () => {
  const { directory, asked } = await serve();
  expect(await say(directory, "on", "e\ntwo\n")).toBe("ONE\n");
  expect(asked).toEqual(["one"]);
});

linux("what is too long, never ends or breaks the answerer is cut off, and the next one is answered", async () => {
  const { directory } = await serve({ idleMs: 200 });
  expect(await say(directory, "x".repeat(5_000))).toBe("");
  expect(await say(directory, "never ends")).toBe("");
  expect(await say(directory, "break\n")).toBe("");
  expect(await say(directory, "\u0000\ufffd{[\n")).toBe("\u0000\ufffd{[\n");
});

linux("an answer that takes longer than a silent one may is given all the same", async () => {
  const { directory } = await serve({ idleMs: 200 });
  expect(await say(directory, "slow\n")).toBe("SLOW\n");
});

linux("of many that connect at once only so many are held, and it goes on", async () => {
  const { directory } = await serve({ maxConnections: 4, idleMs: 200 });
  const silent = Array.from({ length: 50 }, () => say(directory));
  await Promise.all(silent);
  expect(await say(directory, "still there\n")).toBe("STILL THERE\n");
});
