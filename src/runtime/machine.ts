// What programs may use of this machine, and how much of its disks must stay free.
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import type { Failure } from "../protocol/failure.ts";
import type { ProgramLimits, Resources } from "../protocol/resources.ts";

const megabyte = 1_048_576;

/** For whoever says nothing: what is left keeps the system, and us, alive. */
export function usualMemoryMb(): number {
  const allowed = process.constrainedMemory?.() ?? 0;
  const memory = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return Math.floor((memory * 0.8) / megabyte);
}

export const limitsOf = ({ memoryMb = usualMemoryMb(), processes, openFiles }: Resources): ProgramLimits => ({
  memoryBytes: memoryMb * megabyte,
  processes,
  openFiles,
});

/** The disks a mission needs room on. */
export interface Room {
  /** Why nothing may be begun or go on; null while there is room. Never rejects. */
  shortage(): Promise<Failure | null>;
  /** Says so once, when it is short. */
  watch(onShort: (failure: Failure) => void): { close(): void };
}

/** Whoever writes fastest must not get through the floor between two looks. */
const lookMs = 200;

/** One look at each file system; what cannot be asked is not taken for full. */
export function roomAt(places: readonly string[], floorMb: number): Room {
  const shortage = async (): Promise<Failure | null> => {
    for (const place of places) {
      const free = await freeBytes(place);
      if (free !== null && free < floorMb * megabyte) return machineFull(place, free, floorMb);
    }
    return null;
  };
  return {
    shortage,
    watch(onShort) {
      let looking = false;
      const timer = setInterval(async () => {
        if (looking) return;
        looking = true;
        const failure = await shortage();
        looking = failure !== null;
        if (failure !== null) onShort(failure);
      }, lookMs);
      return { close: () => clearInterval(timer) };
    },
  };
}

/** Where the state and temporary files go. */
export const roomFor = (home: string, { diskFloorMb }: Resources): Room => roomAt([home, tmpdir()], diskFloorMb);

const machineFull = (place: string, free: number, floorMb: number): Failure => ({
  kind: "machine_full",
  message: `machine full: ${Math.floor(free / megabyte)} MB are free at ${place}, less than the ${floorMb} MB that must stay free`,
  remedy: "free some space (harness rescue list shows what was put away), then: harness run",
});

async function freeBytes(place: string): Promise<number | null> {
  if (!existsSync(place)) return null;
  try {
    const { bavail, bsize } = await statfs(place);
    return bavail * bsize;
  } catch {
    return null;
  }
}
