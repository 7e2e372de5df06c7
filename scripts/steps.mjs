// Runs the steps of a check stage by stage, stops at the first failure and ends with "N passed, N failed".
//
// A step is { name, command, started?, env?, counts? }; `started` is what is really run, if that is the command
// with something around it; `counts` is where the command leaves its test counts, in the shape of vitest's JSON
// reporter. A step alone in its stage writes straight through; steps that share a stage run two at a time, and only a
// failing one's output is shown.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const atOnce = 2;
/** Leaders of their process groups: a test runner that is ended would leave its workers behind. */
const running = new Set();

for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"])
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });

function endAll() {
  for (const { pid } of running) {
    try {
      process.kill(-pid);
    } catch {
      // It ended by itself.
    }
  }
}

/** @returns the exit code */
export async function runStages(stages) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  let failure;
  for (const stage of stages) {
    failure = await runStage(stage, total);
    if (failure) break;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  return failure ? 1 : 0;
}

/** @returns the first step that failed, if any */
async function runStage(stage, total) {
  const waiting = [...stage];
  let failure;

  async function worker() {
    while (!failure && waiting.length > 0) {
      const step = waiting.shift();
      const { code, output, seconds } = await perform(step, stage.length === 1);
      if (failure) return; // ended on our request
      addCounts(total, step, code);
      if (code === 0) {
        console.log(`ok      ${step.name.padEnd(16)} ${seconds} s`);
        continue;
      }
      failure = step;
      endAll();
      console.log(`${output}\nFAILED  ${step.name.padEnd(16)} ${seconds} s: ${shown(step)}`);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, worker));
  return failure;
}

async function perform(step, alone) {
  const child = start(step, alone);
  running.add(child.process);
  const end = await child.ended;
  running.delete(child.process);
  return end;
}

function start(step, alone) {
  const began = performance.now();
  const [file, ...args] = step.started ?? step.command;
  const child = spawn(file, args, {
    env: { ...process.env, ...step.env },
    detached: true,
    stdio: ["ignore", alone ? "inherit" : "pipe", alone ? "inherit" : "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const ended = new Promise((resolve) => {
    const end = (code) => resolve({ code, output, seconds: ((performance.now() - began) / 1000).toFixed(1) });
    child.once("close", end);
    child.once("error", (error) => {
      output += error.message;
      end(1);
    });
  });
  return { process: child, ended };
}

// A step that fails without a failing test of its own (a suite that does not load, a lint error) counts as one.
function addCounts(total, step, code) {
  const counts = step.counts ? readCounts(step.counts) : {};
  const failed = counts.numFailedTests ?? 0;
  total.passed += counts.numPassedTests ?? 0;
  total.failed += code === 0 ? failed : Math.max(failed, 1);
  total.skipped += (counts.numPendingTests ?? 0) + (counts.numTodoTests ?? 0);
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {}; // the step died before it could count; its exit code says so
  }
}

function shown(step) {
  const env = Object.entries(step.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const command = step.command.map((word) => (word === process.execPath ? "node" : word));
  return [...env, ...command].filter((word) => !/^--(reporter|outputFile|counts)/.test(word)).join(" ");
}
