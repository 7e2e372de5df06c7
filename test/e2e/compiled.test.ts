// What V8 made of the program is kept beside it: it makes the start quicker, and nothing else.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { codeFile, scriptOf } from "../../src/surfaces/cli/compiled.ts";

const root = join(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "harness-compiled-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Program {
  readonly cli: string;
  readonly main: string;
}

/** A copy of the program, with another file of code for this V8. */
function programWith(code: (kept: Buffer) => Buffer | null): Program {
  const program = mkdtempSync(join(place, "program-"));
  cpSync(join(root, "dist"), join(program, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(program, "package.json"));
  symlinkSync(join(root, "node_modules"), join(program, "node_modules"));
  const cli = join(program, "dist/cli.js");
  const main = join(program, "dist/chunks", /main-\w+\.js/.exec(readFileSync(cli, "utf8"))?.[0] ?? "");
  const changed = code(readFileSync(codeFile(main)));
  rmSync(codeFile(main));
  if (changed !== null) writeFileSync(codeFile(main), changed);
  return { cli, main };
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0x55, at);
  return copy;
}

const says = ({ cli }: Pick<Program, "cli">): string =>
  execFileSync(process.execPath, [cli, "help", "--all"], { encoding: "utf8", cwd: place, stdio: "pipe" });
/** V8 does not say so of what it was never given. */
const isTaken = ({ main }: Program): boolean | undefined => {
  const { cachedDataRejected } = scriptOf(main);
  return cachedDataRejected === undefined ? undefined : !cachedDataRejected;
};

test("M2: the program comes with the code that this V8 made of it, and V8 takes it", () => {
  expect(isTaken(programWith((kept) => kept))).toBe(true);
});

test.each([
  ["is not there, as with another Node", () => null],
  ["is empty", () => Buffer.alloc(0)],
  ["was torn", (kept: Buffer) => kept.subarray(0, kept.length / 2)],
  ["is zeros, as after a power cut", (kept: Buffer) => Buffer.alloc(kept.length)],
  ["has another byte in its middle", (kept: Buffer) => flipped(kept, Math.floor(kept.length / 2))],
  ["has another byte in what proves it", (kept: Buffer) => flipped(kept, 3)],
])("M2: kept code that %s never comes to V8: the program is compiled, and says the same", (_, code) => {
  const program = programWith(code);
  expect([isTaken(program), says(program)]).toEqual([undefined, says({ cli: join(root, "dist/cli.js") })]);
});
