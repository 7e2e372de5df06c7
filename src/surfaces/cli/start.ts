// The first module of the program: what a glance can answer is answered here; all else is loaded only when needed.
import { socketInSandbox, socketVariable } from "../../protocol/socket-place.ts";
import { quickLook } from "./quick-look.ts";

async function start(): Promise<void> {
  const { argv, env } = process;
  const socket = env[socketVariable];
  // In a sandbox there is nothing to look at but through the attempt's socket – unless it is about another project. The
  // tools of an attempt go that way wherever they are.
  const goesInside = socket === socketInSandbox || (socket && argv[2] === "mcp");
  if (socket && goesInside && env.HARNESS_STATE_ROOT && !argv.includes("--root")) {
    const { inside } = await import("./inside.ts");
    process.exitCode = await inside(argv.slice(2), socket, env);
    return;
  }
  const done = await quickLook(argv.slice(2), { cwd: process.cwd, env });
  if (!done) await import("./main.ts");
}

void start();
