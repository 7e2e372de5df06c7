/** Null: somebody removed it, such as the workspace of a task that was merged. */
export function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
