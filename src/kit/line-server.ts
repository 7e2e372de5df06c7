// A Unix socket that answers one line with one line. Whoever connects is not trusted: lines are bounded, connections are
// few, and nobody may take his time.
import { closeSync, constants, openSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";

const usualIdleMs = 10_000;

export interface LineServerOptions {
  /** The socket is `socket` in there. */
  readonly directory: string;
  readonly maxBytes: number;
  readonly maxConnections?: number;
  readonly idleMs?: number;
  answer(line: string): Promise<string>;
}

export interface LineServer {
  close(): Promise<void>;
}

export async function openLineServer(options: LineServerOptions): Promise<LineServer> {
  const { directory, maxConnections = 16, idleMs = usualIdleMs } = options;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // Whoever leaves early has nothing to be told.
    socket.on("error", () => socket.destroy());
    socket.setTimeout(idleMs, () => socket.destroy());
    converse(socket, options);
  });
  server.maxConnections = maxConnections;
  // Named through an open directory: the path of a socket may have a hundred characters only.
  const folder = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(join("/proc/self/fd", String(folder), "socket"), resolve);
    });
  } finally {
    closeSync(folder);
  }
  server.on("error", () => undefined);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

function converse(socket: Socket, { maxBytes, idleMs = usualIdleMs, answer }: LineServerOptions): void {
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (piece: Buffer): void => {
    const end = piece.indexOf(10);
    pieces.push(end === -1 ? piece : piece.subarray(0, end));
    length += piece.length;
    if (length > maxBytes) socket.destroy();
    if (end === -1 || socket.destroyed) return;
    socket.off("data", take).resume();
    const line = Buffer.concat(pieces).toString("utf8");
    pieces = [];
    // From here on it is us who take the time; whoever does not read the answer is cut off again.
    socket.setTimeout(0);
    answer(line).then(
      (text) => socket.setTimeout(idleMs).end(`${text}\n`),
      () => socket.destroy(),
    );
  };
  socket.on("data", take);
}
