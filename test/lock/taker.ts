// A process of its own for the tests: takes and releases the lock of a root when it is told to.
//
// `node taker.mjs JOURNAL ROOT BASE`, then lines on standard input; each is answered by one line of JSON. Around the
// work it looks for a file that is never there, so that a trace of its calls shows where the work begins and ends.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { identifySelf, isAlive, isAliveSince } from "../../src/kit/process-identity.ts";
import { createVisibleLock } from "../../src/runtime/lock/visible-lock.ts";
import { openSqliteStore } from "../../src/stores/index.ts";

const [path = "", root = "", base = ""] = process.argv.slice(2);
const store = await openSqliteStore({ path, busyTimeoutMs: 60_000 });
const self = await identifySelf();
const lock = createVisibleLock({ root, store, lookout: { isAlive, isAliveSince }, base });

console.log(JSON.stringify({ pid: self.pid }));
for await (const line of createInterface({ input: process.stdin })) {
  existsSync(`/no-such-file/begin ${line}`);
  const answer = line === "take" ? await lock.take(self) : await lock.release();
  existsSync(`/no-such-file/end ${line}`);
  console.log(JSON.stringify(answer ?? null));
}
await store.close();
