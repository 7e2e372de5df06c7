import { statSync } from "node:fs";

/** Whether the path leads to anything. What cannot be looked at is no answer: it throws. */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
