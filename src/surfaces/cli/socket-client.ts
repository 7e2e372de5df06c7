// Asks the run that owns an attempt, over that attempt's socket.
import { closeSync, constants, openSync } from "node:fs";
import { createConnection } from "node:net";
import { basename, dirname, join } from "node:path";
import { longestRequest, SocketAnswer, type SocketRequest } from "../../protocol/attempt-socket.ts";

const timeoutMs = 30_000;
/** The path of a socket may have a hundred characters only; a longer one is named through its open directory. */
const longestPath = 100;

const no = (error: string): SocketAnswer => ({ ok: false, error });
const gone = "the run that owns this attempt does not answer: the attempt may have ended";

/** Never rejects: an attempt that ended is an answer too. */
export async function askRun(path: string, request: SocketRequest): Promise<SocketAnswer> {
  const line = JSON.stringify(request);
  if (Buffer.byteLength(line) > longestRequest) return no(`that is too long: ${longestRequest} bytes are the most`);
  let folder: number | null = null;
  try {
    if (Buffer.byteLength(path) > longestPath) folder = openSync(dirname(path), constants.O_RDONLY);
    const short = folder === null ? path : join("/proc/self/fd", String(folder), basename(path));
    return SocketAnswer.parse(JSON.parse(await converse(short, line)));
  } catch (error) {
    return no(error instanceof Error && error.message === "nobody answers" ? error.message : gone);
  } finally {
    if (folder !== null) closeSync(folder);
  }
}

function converse(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = createConnection(path, () => socket.write(`${line}\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("nobody answers")));
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });
}
