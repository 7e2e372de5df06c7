// Ports of this machine, one owner each: two lanes, or two missions, never get the same. A lease is a file that names
// its owner; its number in the file's name only grows, so of all who take a dead owner's place exactly one succeeds.
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import type { ProcessIdentity } from "../../protocol/agent.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { PortLease } from "../../protocol/setup.ts";

export interface PortLeasesOptions {
  /** Shared by all missions of the machine's user. */
  readonly directory: string;
  readonly self: () => Promise<ProcessIdentity>;
  readonly isAlive: (identity: ProcessIdentity) => Promise<boolean>;
  readonly now: () => number;
  /** Whether a program could listen there. */
  readonly isFree?: (port: number) => Promise<boolean>;
}

/** Below what systems give to outgoing connections, above what services are usually found at. */
const [first, count] = [20_000, 10_000];

export class PortLeases {
  readonly #options: Required<PortLeasesOptions>;
  readonly #known = new Map<string, number>();

  constructor(options: PortLeasesOptions) {
    this.#options = { isFree: canListen, ...options };
  }

  /** The same number for the same holder, as long as nobody else has it. */
  async lease(holder: string, until = 0): Promise<Outcome<number>> {
    const known = this.#known.get(holder);
    if (known !== undefined) return succeeded(known);
    createFolderDurably(this.#options.directory, 0o700);
    const start = Number.parseInt(createHash("sha256").update(holder).digest("hex").slice(0, 8), 16);
    for (let n = 0; n < count; n += 1) {
      const port = first + ((start + n) % count);
      if (!(await this.#take(port, holder, until))) continue;
      this.#known.set(holder, port);
      return succeeded(port);
    }
    return failed(noneLeft);
  }

  async #take(port: number, holder: string, until: number): Promise<boolean> {
    const { directory, self, isAlive, now, isFree } = this.#options;
    const [latest = 0, ...older] = await this.#numbersOf(port);
    const lease = latest === 0 ? null : await this.#read(port, latest);
    const owner = await self();
    if (lease !== null && !isSame(lease.owner, owner)) {
      if (await isAlive(lease.owner)) return false;
      // The same lane goes on in another process; others wait until what it was leased for is over as well.
      if (lease.holder !== holder && lease.until > now()) return false;
    }
    if (lease !== null && isSame(lease.owner, owner) && lease.holder !== holder) return false;
    if (!(await isFree(port))) return false;
    const mine = latest + 1;
    try {
      await writeFileAtomic(this.#file(port, mine), JSON.stringify({ holder, owner, until }), { onlyNew: true });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
    // Whoever listed the files long ago may have made one that was overtaken meanwhile.
    const [present] = await this.#numbersOf(port);
    const overtaken = present !== mine;
    for (const number of overtaken ? [mine] : [latest, ...older]) {
      if (number > 0) await rm(join(directory, `${port}.${number}`), { force: true });
    }
    return !overtaken;
  }

  #file(port: number, number: number): string {
    return join(this.#options.directory, `${port}.${number}`);
  }

  /** Highest first. */
  async #numbersOf(port: number): Promise<number[]> {
    const names = await readdir(this.#options.directory);
    return names
      .filter((name) => name.startsWith(`${port}.`))
      .map((name) => Number(name.slice(`${port}.`.length)))
      .filter((number) => Number.isSafeInteger(number) && number > 0)
      .sort((a, b) => b - a);
  }

  /** Null for one that cannot be read: it was replaced just now, or is nobody's. */
  async #read(port: number, number: number): Promise<PortLease | null> {
    try {
      return PortLease.parse(JSON.parse(await readFile(this.#file(port, number), "utf8")));
    } catch {
      return null;
    }
  }
}

const isSame = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.host === b.host && a.bootId === b.bootId && a.pid === b.pid && a.startTime === b.startTime;

const noneLeft: Failure = {
  kind: "env_setup",
  message: `no port from ${first} to ${first + count - 1} is free`,
  remedy: "end programs that listen there, or ask for fewer in setup.ports",
};

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
