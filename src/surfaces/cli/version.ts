// The version, from the package this program was installed with: dist/, its chunks and src/ all lie inside it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function readVersion(): string {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const version = versionIn(join(directory, "package.json"));
    if (version !== null) return version;
    if (dirname(directory) === directory) return "unknown";
  }
}

function versionIn(file: string): string | null {
  try {
    const { name, version }: { name?: unknown; version?: unknown } = JSON.parse(readFileSync(file, "utf8"));
    return name === "harness" && typeof version === "string" ? version : null;
  } catch {
    // No package file here: the search goes on one folder up.
    return null;
  }
}
