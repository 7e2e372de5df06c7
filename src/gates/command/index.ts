// Judges by a command line: it ran and answered 0, or it did not.
import * as z from "zod";
import { assertNever } from "../../kit/assert-never.ts";
import { oneLine } from "../../kit/escape.ts";
import { findProgram } from "../../kit/find-program.ts";
import { breachText } from "../../kit/resource-watch.ts";
import { type RunOptions, type RunResult, runProcess } from "../../kit/run-process.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Verdict } from "../../protocol/gate.ts";
import { defineGate, type GateRequest } from "../gate.ts";
import { firstWord } from "./first-word.ts";

const Options = z.strictObject({
  /** For /bin/sh. */
  command: z.string().max(10_000),
  timeoutMs: z.int().positive().max(86_400_000).default(300_000),
});
type Options = z.output<typeof Options>;

export const command = defineGate({
  name: "command",
  options: Options,
  create: (options) => ({ check: (request, signal) => checkCommand(options, request, signal) }),
});

async function checkCommand(options: Options, request: GateRequest, signal: AbortSignal): Promise<Verdict> {
  if (options.command.trim() === "") {
    return unable({ kind: "config", message: "the validation command is empty", remedy: "give the task a command" });
  }
  const { dir, env, announce, base, redactor, record, limits, confine: wrap } = request;
  const about = oneLine(redactor.redact(options.command), 500);
  const judge = (result: RunResult): Verdict => verdictOf(result, about, options.timeoutMs);
  const run = (argv: RunOptions["argv"], cwd = dir): Promise<RunResult> =>
    runProcess({
      argv,
      wrap,
      cwd,
      env,
      announce,
      signal,
      record,
      limits,
      timeoutMs: options.timeoutMs,
      // Before anything is kept: a secret that was cut in two is not recognised any more.
      filter: () => redactor.stream(),
      keep: { headBytes: 4_000, tailBytes: 8_000 },
    });

  const word = firstWord(options.command);
  if (word !== null && (await findProgram(word, { cwd: dir, env })) === null) {
    // Not a file: the shell itself may still know it, as a keyword or a builtin.
    const known = await run(["/bin/sh", "-c", 'command -v -- "$1"', "sh", word]);
    if (known.end !== "exited") return judge(known);
    if (known.code !== 0) {
      return unable({
        kind: "env_setup",
        message: `"${word}" was not found, which the validation starts with: ${about}`,
        remedy: `install ${word}, or see that it is on the PATH the validation is given`,
      });
    }
  }
  const result = await run(["/bin/sh", "-c", options.command]);
  if (result.end !== "exited" || result.code !== notFound || base === undefined) return judge(result);
  // Something inside was not found. If the base lacks it as well, nobody's work could help (A3).
  const before = await base();
  const there = before === null ? null : await run(["/bin/sh", "-c", options.command], before);
  if (there?.end !== "exited" || there.code !== notFound) return judge(result);
  return unable({
    kind: "env_setup",
    message: `a program the validation needs was not found, on the base as well: ${about}`,
    remedy: "install it, or see that it is on the PATH the validation is given",
    ...(result.output === "" ? {} : { evidence: result.output }),
  });
}

/** What a shell answers for a command it cannot find. */
const notFound = 127;

const unable = (failure: Failure): Verdict => ({ verdict: "unable", failure });

function verdictOf(result: RunResult, about: string, timeoutMs: number): Verdict {
  const fail = (kind: "test_fail" | "timeout" | "resources", message: string): Verdict => ({
    verdict: "fail",
    failure: { kind, message: `${message}: ${about}`, ...(result.output === "" ? {} : { evidence: result.output }) },
  });
  switch (result.end) {
    case "exited":
      if (result.code === 0) return { verdict: "pass", evidence: result.output };
      return fail("test_fail", `validation exited with ${result.code}`);
    case "signalled":
      return fail("test_fail", `validation was ended by ${result.signal}`);
    case "timeout":
      return fail("timeout", `validation took longer than ${timeoutMs} ms`);
    case "exceeded":
      return fail("resources", `validation ${breachText(result.breach)}`);
    case "not_started":
      return unable({
        kind: "env_setup",
        message: `validation could not be started (${result.reason}): ${about}`,
        remedy: "remove the cause, then try again",
      });
    case "aborted":
      return unable({ kind: "env_setup", message: `validation was stopped before it could judge: ${about}` });
    case "refused":
      return unable({ kind: "env_setup", message: `validation was no longer ours to run: ${about}` });
    default:
      return assertNever(result);
  }
}
