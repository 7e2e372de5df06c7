// M8: everything a program may print, through what every agent's output goes through – decoded, redacted, its ends kept
// in memory, its newest part in a file – against a process that reads the same pipe and looks at nothing.
//
// Each reader is a process of its own: only then its memory is its own too.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processLines } from "../src/kit/process-lines.ts";
import { createRedactor } from "../src/kit/redact.ts";
import { openStandardStreams } from "../src/kit/standard-streams.ts";
import { OutputKeeping } from "../src/protocol/resources.ts";
import { createOutputFiles } from "../src/runtime/output/output-files.ts";
import { type Measurement, type Options, type Row, ratios, type Took } from "./measure.ts";

const megabyte = 1_000_000;
const event =
  '{"type":"assistant","message":{"role":"assistant","content":"words of an ordinary length, and some more"}}';
/** What prints so much, as fast as a pipe takes it. */
const printers = {
  "JSON lines": (bytes: number) => `yes '${event}' | head -c ${bytes}`,
  "one endless line": (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' 'x'`,
} as const;
type Shape = keyof typeof printers;

/** Memory: of what the goal allows, in megabytes. */
const maxPeakMb = 150;

export const output: Measurement = {
  id: "M8",
  what: "agents' output",
  async run({ quick, folder, say }: Options) {
    const rows: Row[] = [];
    const large = quick ? 200 : 1_000;
    for (const shape of Object.keys(printers) as Shape[]) {
      say(`M8: ${large} MB of ${shape}`);
      const peaks: number[] = [];
      const read = (how: "floor" | "subject", mb: number) => {
        const { took, peakMb } = readIn(folder, how, shape, mb);
        if (how === "subject" && mb === large) peaks.push(peakMb);
        return took;
      };
      const measured = await ratios(quick ? 1 : 3, {
        floor: () => read("floor", large),
        subject: () => read("subject", large),
      });
      const { peakMb: small } = readIn(folder, "subject", shape, large / 10);
      const peak = Math.max(...peaks);
      const perSecond = (ms: number) => Math.round(large / (ms / 1_000));
      const size = `${large} MB, ${shape}`;
      const note = `${perSecond(measured.subjectMs)} MB/s of ${perSecond(measured.floorMs)} MB/s`;
      // The goal is 0.35 of the floor's throughput: so much of its time.
      rows.push({ id: "M8", work: "read, redact, keep", size, ...measured, goal: { atMost: 2.86 }, note });
      const memory = { id: "M8", size, floorMs: null, subjectMs: null, p10: null, p90: null };
      const growth = { atMost: 1.2 };
      rows.push({
        ...memory,
        work: "memory against a tenth of it",
        value: peak / small,
        goal: growth,
        note: `${Math.round(peak)} MB`,
      });
      rows.push({ ...memory, work: `memory of ${maxPeakMb} MB`, value: peak / maxPeakMb, goal: { atMost: 1 } });
    }
    return rows;
  },
};

interface Read {
  readonly took: Took;
  readonly peakMb: number;
}

function readIn(folder: string, how: "floor" | "subject", shape: Shape, mb: number): Read {
  const place = mkdtempSync(join(folder, "m8-"));
  try {
    const args = [process.argv[1] ?? "", "--read", place, how, shape, String(mb * megabyte)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The child of the above. */
export async function runReader(place: string, how: string, shape: string, bytes: number): Promise<void> {
  const line = printers[shape as Shape](bytes);
  const cpuBegan = process.cpuUsage();
  const began = performance.now();
  const seen = how === "floor" ? await drain(line, place) : await keep(line, place);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBegan);
  if (seen !== bytes) throw new Error(`${seen} of ${bytes} bytes came through`);
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1_024;
  console.log(JSON.stringify({ took: { ms, cpuMs: (user + system) / 1_000 }, peakMb } satisfies Read));
}

const program = (line: string, cwd: string) => ({
  argv: ["/bin/sh", "-c", line] as const,
  cwd,
  env: { PATH: process.env.PATH ?? "" },
  announce: async () => true,
});

/** The same start and pipe, and nothing else. */
async function drain(line: string, cwd: string): Promise<number> {
  const streams = await openStandardStreams(undefined);
  const child = spawn("/bin/sh", ["-c", line], { cwd, stdio: ["ignore", streams.stdout, streams.stderr] });
  streams.handedOver();
  const { stdout } = streams.ours(child);
  let bytes = 0;
  for await (const chunk of stdout) bytes += chunk.length;
  return bytes;
}

/** As the command driver and the runtime do it. */
async function keep(line: string, cwd: string): Promise<number> {
  const redactor = createRedactor({ values: ["a-secret-of-the-environment"] });
  const files = createOutputFiles({ home: cwd, keeping: OutputKeeping.parse({}), redactor, onTrouble: fail });
  const effect = { kind: "session.prepare", id: "e", run: "r", fence: 1, session: 1 } as const;
  const { record, close } = files.open(effect, "agent-1");
  const filter = () => redactor.stream();
  const lines = processLines(
    { ...program(line, cwd), record, filter, keep: { headBytes: 0, tailBytes: 12_000 } },
    () => null,
  );
  let next = await lines.next();
  while (!next.done) next = await lines.next();
  await close();
  return next.value.bytes;
}

function fail(failure: { readonly message: string }): never {
  throw new Error(failure.message);
}
