// How the owner of a claim is named where people read it (rule L2).
import type { ReadonlyRun } from "./state.ts";

/** As it named itself, else where it runs. */
export const workerOf = ({ worker, owner }: ReadonlyRun): string => worker ?? `${owner.host}:${owner.pid}`;
