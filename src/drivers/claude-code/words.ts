// What is said to Claude Code while it works: a hook hands it over with the answer of the next tool, and of each one after
// it. The hook is a shell that reads one file, so that it costs a few milliseconds while nothing is said.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Words } from "../driver.ts";

const file = "words.json";
const event = "PostToolUse";

/** A file that cannot be written only keeps the agent from hearing it. */
export function hearWords(words: Words | undefined): void {
  words?.listen((additionalContext) => {
    const said = JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } });
    const path = join(words.folder, file);
    try {
      writeFileSync(`${path}.tmp`, said, { mode: 0o600 });
      renameSync(`${path}.tmp`, path);
    } catch {
      return;
    }
  });
}

/** As its option `--settings` takes it; beside the user's own settings and hooks. */
export function wordsSettings({ seenAt }: Words): string {
  const path = join(seenAt, file).replaceAll("'", `'\\''`);
  const command = `cat '${path}' 2>/dev/null || true`;
  return JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command, timeout: 10 }] }] } });
}
