// A process of its own for the tests: appends and prints each acknowledgement, or only waits.
import { writeSync } from "node:fs";
import { openSqliteStore } from "./index.ts";
import { openLibsql } from "./libsql.ts";

const [path = "", name = "", task = "", library = ""] = process.argv.slice(2);
const print = (line: string) => writeSync(1, `${line}\n`);

print("opening");
const store = await openSqliteStore({ path, ...(library === "libsql" && { openDriver: openLibsql }) });
if (task === "wait") {
  void store.changed(Number.MAX_SAFE_INTEGER, new AbortController().signal);
} else {
  await append(Number(task));
  await store.close();
}

/** Each body is made from what the writer has folded: a stale or missing tail would show. */
async function append(times: number): Promise<void> {
  let seen = 0;
  for (let n = 1; n <= times; n += 1) {
    const commandId = `${name}-${n}`;
    const { appended } = await store.transact({
      after: seen,
      commandId,
      decide: (tail) => {
        seen = (tail.at(-1)?.position ?? seen) + 1;
        return { events: [{ at: seen, type: "thing.happened", v: 1, body: `{"n":${seen}}` }], runs: [] };
      },
    });
    print(`${commandId} ${appended[0]?.position}`);
  }
}
