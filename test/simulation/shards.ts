// Many schedules on every core: each worker takes the next seed, and what they reached is counted together.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import type { Coverage } from "./coverage.ts";
import type { At, Lived, ShardData, Taken } from "./shard.ts";

export async function liveThroughAll(schedules: number, coverage: Coverage): Promise<Omit<Lived, "hits">> {
  const directory = await mkdtemp(join(tmpdir(), "simulation-"));
  try {
    const file = await bundled(directory);
    const taken: Taken = new Int32Array(new SharedArrayBuffer(4));
    const shards = Array.from({ length: availableParallelism() }, () => startShard(file, { taken, schedules }));
    const ended = await Promise.allSettled(shards);
    const lived = ended.map((end) => {
      if (end.status === "rejected") throw end.reason;
      return end.value;
    });
    for (const { hits } of lived) coverage.add(hits);
    const sum = (of: "seeds" | "events" | "runs") => lived.reduce((total, one) => total + one[of], 0);
    return { seeds: sum("seeds"), events: sum("events"), runs: sum("runs") };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** As the product is built; a worker knows nothing of vitest, which runs the same code slower. */
async function bundled(directory: string): Promise<string> {
  const outfile = join(directory, "shard.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "shard.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: "inline",
    external: ["libsql"],
    logLevel: "warning",
  });
  return outfile;
}

function startShard(file: string, { taken, schedules }: Omit<ShardData, "at">): Promise<Lived> {
  const at: At = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ShardData = { taken, at, schedules };
  const worker = new Worker(file, { workerData, execArgv: ["--enable-source-maps"] });
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      // The others need not go on: one broken seed is enough to know.
      Atomics.store(taken, 0, schedules);
      reject(broken(at[0] ?? 0, error));
    };
    worker.once("message", resolve);
    worker.once("error", fail);
    worker.once("exit", () => fail(new Error("its worker ended without an answer")));
  });
}

export const broken = (seed: number, error: unknown): Error =>
  new Error(
    `seed ${seed} breaks: ${error instanceof Error ? error.message : error}\n  replay: HARNESS_SIM_SEED=${seed} npm run sim`,
    { cause: error },
  );
