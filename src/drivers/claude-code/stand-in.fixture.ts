// A program in Claude Code's place: a shell script that tells what it is made to tell, in Claude Code's words.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Driver } from "../driver.ts";
import { claudeCode } from "./index.ts";

const folders: string[] = [];
/** To be called after all tests. */
export function removeStandIns(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** The file of a program that is this script. */
export function standInFile(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-"));
  folders.push(folder);
  const binary = join(folder, "claude");
  writeFileSync(binary, `#!/bin/sh\n${script}\n`);
  chmodSync(binary, 0o755);
  return binary;
}

/** Nobody bypasses permissions as root: stand-ins do not ask for it. */
export function standIn(script: string, options: Readonly<Record<string, unknown>> = {}): Driver {
  const binary = standInFile(script);
  return claudeCode.create(claudeCode.options.parse({ binary, permissionMode: "acceptEdits", ...options }));
}

/** Shell commands that tell a line of the stream each. */
export const tell = (line: object): string => `printf '%s\\n' '${JSON.stringify(line).replaceAll("'", `'\\''`)}'`;

export const began = {
  type: "system",
  subtype: "init",
  session_id: "session-1",
  model: "claude-opus-5-5",
  permissionMode: "acceptEdits",
  claude_code_version: "2.1.325",
};
export const says = (text: string, id = "message-1") => ({
  type: "assistant",
  message: { id, content: [{ type: "text", text }], usage: { input_tokens: 10, output_tokens: 1 } },
});
export const result = (text: string, more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: text,
  session_id: "session-1",
  num_turns: 1,
  total_cost_usd: 0.0006,
  modelUsage: { "claude-opus-5-5": { inputTokens: 100, outputTokens: 10, costBasis: "list" } },
  ...more,
});
