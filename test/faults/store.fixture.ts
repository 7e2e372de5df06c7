// A process of its own for the tests: two transactions and a snapshot, each acknowledged on standard output.
import { writeSync } from "node:fs";
import { openSqliteStore, StoreError } from "../../src/stores/index.ts";

const [path = ""] = process.argv.slice(2);

try {
  const store = await openSqliteStore({ path });
  let { position: after } = await store.head();
  for (const commandId of ["first", "second"]) {
    const body = JSON.stringify({ commandId, filler: "x".repeat(5_000) });
    const decide = () => ({ events: [{ at: after, type: "thing.happened", v: 1, body }], runs: [] });
    const { appended, repeated } = await store.transact({ after, commandId, decide });
    after = Math.max(after, appended.at(-1)?.position ?? 0);
    if (!repeated) writeSync(1, `${commandId}\n`);
  }
  await store.saveSnapshot({ ...(await store.head()), body: "{}" });
  writeSync(1, "snapshot\n");
  await store.close();
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  writeSync(2, `error: store – ${error.message}\n`);
  process.exitCode = 10;
}
