// Writes harness-tasks.json so that a reader, also one after a power cut, finds a whole one (F4). The caller holds the
// lock of the views, so a temporary file that is there was left behind.
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { tasksFile } from "../place.ts";
import { codeOf, readRegular, syncFolder, writeNew } from "./durable-file.ts";
import { keepBackup } from "./keep-backup.ts";
import { Pace } from "./pace.ts";

/** By what a reader tells that the file is the one he was told of. */
export interface Stamp {
  readonly size: number;
  readonly mtimeMs: number;
}

interface Known extends Stamp {
  readonly ino: number;
  readonly hash: string;
  readonly position: number;
}

/** Told the hash and position of what will be there, and the hash of what is there now, if anything is. */
export type BeforeReplace = (hash: string, position: number, present: string | null) => Promise<void>;

export interface TasksViewOptions {
  readonly root: string;
  /** Milliseconds since some moment; must never jump, as the wall clock does (PR-19). */
  readonly elapsedMs?: () => number;
  readonly beforeReplace?: BeforeReplace;
}

export class TasksView {
  readonly #root: string;
  readonly #path: string;
  readonly #pace: Pace;
  readonly #beforeReplace: BeforeReplace;
  #known: Known | null = null;

  /** `beforeReplace` is told what will be written: after a crash at any point, what is there is known as ours. */
  constructor({ root, elapsedMs = () => performance.now(), beforeReplace = async () => undefined }: TasksViewOptions) {
    this.#beforeReplace = beforeReplace;
    this.#root = root;
    this.#path = tasksFile(root);
    this.#pace = new Pace(elapsedMs);
  }

  /** How long to wait before the next write that nobody forces. */
  dueInMs(): number {
    return this.#pace.dueInMs();
  }

  /** Of the file as we wrote or found it; null when it is not known to hold what we say. */
  get stamp(): Stamp | null {
    return this.#known && { size: this.#known.size, mtimeMs: this.#known.mtimeMs };
  }

  /** Which position the file shows; null when somebody touched it or nobody knows. */
  async shownPosition(): Promise<number | null> {
    return (await this.#isUntouched()) ? (this.#known?.position ?? null) : null;
  }

  /** Takes another process' word for which position the file shows, as long as nobody touches it. */
  async recall(stamp: Stamp, position: number): Promise<void> {
    const stats = await lstat(this.#path).catch(() => null);
    if (this.#known !== null || stats === null || !stats.isFile()) return;
    if (stats.size === stamp.size && stats.mtimeMs === stamp.mtimeMs) {
      this.#known = { ...stampOf(stats), hash: unread, position };
    }
  }

  /** Answers whether the file was written: the same content is not written again. */
  async write(text: string, position: number): Promise<boolean> {
    try {
      return await this.#pace.timed(() => this.#replace(text, position));
    } catch (error) {
      this.#known = null;
      throw error;
    }
  }

  async #replace(text: string, position: number): Promise<boolean> {
    const hash = hashOf(text);
    const ours = this.#known?.hash !== unread && (await this.#isUntouched()) ? this.#known : null;
    const present = ours === null ? await readRegular(this.#path) : null;
    if (ours?.hash === hash || present?.text === text) {
      this.#known = { ...stampOf(present?.stats ?? (await lstat(this.#path))), hash, position };
      return false;
    }
    await this.#beforeReplace(hash, position, ours?.hash ?? (present && hashOf(present.text)));
    const temporary = `${this.#path}.tmp`;
    await writeTemporary(temporary, text);
    try {
      if (ours !== null || (present !== null && parses(present.text))) await keepBackup(this.#path);
      await rename(temporary, this.#path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.#known = { ...stampOf(await lstat(this.#path)), hash, position };
    await syncFolder(this.#root);
    return true;
  }

  async #isUntouched(): Promise<boolean> {
    const known = this.#known;
    if (known === null) return false;
    // What cannot be looked at is not known; writing will say why.
    const stats = await lstat(this.#path).catch(() => null);
    return stats !== null && known.ino === stats.ino && known.size === stats.size && known.mtimeMs === stats.mtimeMs;
  }
}

/** What has the name already is moved aside, be it a link: it is neither followed nor lost. */
async function writeTemporary(path: string, text: string): Promise<void> {
  const write = () => writeNew(path, text, 0o644);
  await write().catch(async (error: unknown) => {
    if (codeOf(error) !== "EEXIST") {
      // Ours, and only begun: the disk may be full.
      await rm(path, { force: true });
      throw error;
    }
    await rename(path, `${path}.old`);
    await write();
  });
}

/** Of a file that was not looked into: enough to leave it alone, not enough to replace it unread. */
const unread = "";

const stampOf = ({ ino, size, mtimeMs }: Stats) => ({ ino, size, mtimeMs });
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
