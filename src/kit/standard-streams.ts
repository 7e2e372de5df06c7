// What a child gets as its three standard streams, and how we read two of them.
import { type ChildProcess, execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";
import { causeOf } from "./file-error.ts";

export interface StandardStreams {
  readonly stdin: number | "ignore";
  readonly stdout: number | "pipe";
  readonly stderr: number | "pipe";
  /** Our ends, to be read once the child has its own and `handedOver` was called. */
  ours(child: ChildProcess): { readonly stdout: Readable; readonly stderr: Readable };
  /** Closes the child's ends here; while we hold them too, our ends would not see their end. */
  handedOver(): void;
  /** Closes everything, for when there is no child after all. */
  discard(): void;
}

/**
 * Node's own "pipe" is a socket, on which `> /dev/stderr` and `cat /dev/stdin` fail, so that programs would behave
 * here as they do nowhere else. Output goes through real pipes instead; input comes from a nameless file, which also
 * spares a writer that must cope with a program that does not read.
 */
export async function openStandardStreams(input: string | undefined): Promise<StandardStreams> {
  const folder = await mkdtemp(join(tmpdir(), "streams-"));
  const theirs: number[] = [];
  const readers: Socket[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags);
    theirs.push(fd);
    return fd;
  };
  const handedOver = (): void => theirs.splice(0).forEach(closeSync);
  const discard = (): void => {
    handedOver();
    for (const reader of readers) reader.destroy();
  };
  const openAll = async (): Promise<StandardStreams> => {
    const stdin = input === undefined ? "ignore" : open(await writeInput(folder, input), constants.O_RDONLY);
    // Node closes descriptors that a worker thread opened when that thread ends, whoever has their numbers by then:
    // there a socket may not take one over.
    if (!isMainThread) return { stdin, stdout: "pipe", stderr: "pipe", ours: nodesOwn, handedOver, discard };
    const [out, err] = [join(folder, "stdout"), join(folder, "stderr")];
    await promisify(execFile)("mkfifo", [out, err]);
    const read = (path: string): Socket => {
      const reader = openReader(path);
      // At once: one that is not closed keeps this process from ending.
      readers.push(reader);
      return reader;
    };
    const ours = { stdout: read(out), stderr: read(err) };
    const [stdout, stderr] = [open(out, constants.O_WRONLY), open(err, constants.O_WRONLY)];
    return { stdin, stdout, stderr, ours: () => ours, handedOver, discard };
  };
  try {
    // A folder that stays behind holds what the program was told: then it is not started.
    return await openAll().finally(() => rm(folder, { recursive: true, force: true }));
  } catch (error) {
    discard();
    throw error;
  }
}

async function writeInput(folder: string, text: string): Promise<string> {
  const path = join(folder, "stdin");
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Opened before the writer's end, which would otherwise wait for it; that end blocks, as programs expect. */
function openReader(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const reader = new Socket({ fd, readable: true, writable: false });
    // Heard before whoever reads: what they are told names the stream.
    return reader.on("error", (error) => {
      error.message = `${path} cannot be read: ${causeOf(error)}`;
    });
  } catch (error) {
    closeSync(fd);
    throw new Error(`${path} cannot be read: ${causeOf(error)}`);
  }
}

function nodesOwn(child: ChildProcess): { stdout: Readable; stderr: Readable } {
  if (child.stdout === null || child.stderr === null) throw new Error("the child was started without output pipes");
  return { stdout: child.stdout, stderr: child.stderr };
}
