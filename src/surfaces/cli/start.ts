// The first module of the program: what a glance can answer is answered here; all else is loaded only when needed.
import { quickLook } from "./quick-look.ts";

async function start(): Promise<void> {
  const { argv, env } = process;
  const done = await quickLook(argv.slice(2), { cwd: process.cwd(), env });
  if (!done) await import("./main.ts");
}

void start();
