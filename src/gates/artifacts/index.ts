// Judges by what is there: each declared output is a file of the candidate, holds something, and is what its name says.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { oneLine } from "../../kit/escape.ts";
import { isThere } from "../../kit/is-there.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Verdict } from "../../protocol/gate.ts";
import { Outputs } from "../../protocol/outputs.ts";
import { defineGate, type GateRequest } from "../gate.ts";
import { findFiles } from "./find-files.ts";
import { type Content, problemOf } from "./well-formed.ts";

/** Files looked into for one pattern, bytes of one that are read, and what is told of it all. */
const most = { files: 1_000, wholeBytes: 8 * 1024 * 1024, headBytes: 65_536, tailBytes: 4_096, message: 2_000 };
const longestEvidence = 12_000;

export const artifacts = defineGate({
  name: "artifacts",
  options: z.strictObject({ outputs: Outputs.min(1, "must name at least one file") }),
  create: ({ outputs }) => ({
    startsNothing: true,
    check: (request, signal) => checkOutputs(outputs, request, signal),
  }),
});

async function checkOutputs(outputs: Outputs, request: GateRequest, signal: AbortSignal): Promise<Verdict> {
  const { dir, made } = request;
  if (!isThere(dir)) return unable(`there is no checkout to look at: ${dir}`);
  const seen: string[] = [];
  const wrong: string[] = [];
  for (const output of outputs) {
    if (signal.aborted) return unable("the outputs were not looked at to the end: stopped");
    try {
      const found = await look(dir, output, made);
      seen.push(...found.seen);
      wrong.push(...found.wrong);
    } catch (error) {
      return unable(`${output} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (signal.aborted) return unable("the outputs were not looked at to the end: stopped");
  if (wrong.length === 0) return { verdict: "pass", evidence: bounded(seen) };
  return {
    verdict: "fail",
    failure: {
      kind: "test_fail",
      message: oneLine(`declared outputs are missing or malformed: ${wrong.join("; ")}`, most.message),
      remedy: "write them, and see that git does not ignore them",
      ...(wrong.length > 1 ? { evidence: bounded(wrong) } : {}),
    },
  };
}

const unable = (message: string): Verdict => ({
  verdict: "unable",
  failure: { kind: "env_setup", message: oneLine(message) } satisfies Failure,
});

const bounded = (lines: readonly string[]): string => {
  const text = lines.map((line) => oneLine(line, 500)).join("\n");
  return text.length <= longestEvidence ? text : `${text.slice(0, longestEvidence)}\n… and more`;
};

async function look(dir: string, output: string, made: readonly string[] | undefined) {
  const { files, instead } = await findFiles(dir, output, made);
  const isPattern = /[*?]/.test(output);
  if (files.length === 0) {
    const nothing = isPattern ? `no file matches ${output}` : `${output} does not exist`;
    return { seen: [], wrong: [instead === null ? nothing : `${nothing} (${instead}, not a file)`] };
  }
  const seen: string[] = [];
  const wrong: string[] = [];
  for (const file of files.slice(0, most.files)) {
    const content = await contentOf(join(dir, file));
    const problem = problemOf(file, content);
    if (problem === null) seen.push(`${file}: ${content.size} bytes`);
    else wrong.push(`${file} ${problem}`);
  }
  return { seen, wrong };
}

/** Never through a link, and never waiting for one who writes into a pipe: it was a file when it was found. */
async function contentOf(path: string): Promise<Content> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    const read = async (at: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
      return buffer.subarray(0, bytesRead);
    };
    if (size <= most.wholeBytes) {
      const whole = await read(0, size);
      return { size, head: whole.subarray(0, most.headBytes), tail: whole.subarray(-most.tailBytes), whole };
    }
    return {
      size,
      head: await read(0, most.headBytes),
      tail: await read(size - most.tailBytes, most.tailBytes),
      whole: null,
    };
  } finally {
    await file.close();
  }
}
