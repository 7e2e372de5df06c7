// A reach as the command line of bwrap.
import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Reach } from "../sandbox.ts";
import { isWithin, layoutOf, type Rule } from "./layout.ts";

/** Of all the kernel offers, nothing is shared but the network, and that only if it may be; no rights are left over. */
const always = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
];

/** `more` goes over what bwrap shows of devices and processes. */
export function bwrapArguments(
  argv: readonly string[],
  cwd: string,
  reach: Reach,
  more: readonly string[],
): readonly string[] {
  const { network, env = {}, shown } = reach;
  const real = {
    network,
    ...(shown && { shown }),
    hidden: reach.hidden.map(realPathOf),
    read: reach.read.map(realPathOf),
    write: reach.write.map(realPathOf),
  };
  const rules = layoutOf(real, behindLinks(reach, real.hidden));
  return [
    ...always,
    ...more,
    ...(network ? [] : ["--unshare-net"]),
    ...rules.filter((rule, at) => canBeMounted(rule, rules.slice(0, at))).flatMap(mountOf),
    ...Object.entries(env).flatMap(([name, value]) =>
      value === null ? ["--unsetenv", name] : ["--setenv", name, value],
    ),
    ...["--chdir", cwd, "--", ...argv],
  ];
}

/**
 * Mounts are put at real paths, for they cannot be put through a link. What is known by a path through a link that lies
 * in a hidden place is there by that name as well.
 */
function behindLinks({ read, write }: Reach, hidden: readonly string[]): readonly Rule[] {
  return [...read, ...write].flatMap((path): Rule[] => {
    const from = realPathOf(path);
    if (path === from || !hidden.some((top) => isWithin(path, top))) return [];
    return [{ how: "shown", path, from, write: write.includes(path) }];
  });
}

/** Of a path whose end is not there yet: of as much as is. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), path.slice(parent === "/" ? 1 : parent.length + 1));
  }
}

/**
 * What is not there cannot be shown, and need not be hidden: nobody can make it where all is to be read only. Inside of
 * what may be written it is hidden all the same, before somebody makes it.
 */
function canBeMounted(rule: Rule, before: readonly Rule[]): boolean {
  if (rule.how === "shown" || kindOf(rule.path) !== null) return true;
  const around = before.findLast(({ path }) => isWithin(rule.path, path));
  return rule.how === "hidden" && around?.how === "write";
}

function mountOf(rule: Rule): readonly string[] {
  switch (rule.how) {
    case "hidden":
      return kindOf(rule.path) === "file" ? ["--ro-bind", "/dev/null", rule.path] : ["--tmpfs", rule.path];
    case "read":
      return ["--ro-bind", rule.path, rule.path];
    case "write":
      return ["--bind", rule.path, rule.path];
    case "shown":
      return [rule.write ? "--bind" : "--ro-bind", rule.from, rule.path];
  }
}

function kindOf(path: string): "file" | "directory" | null {
  try {
    return statSync(path).isDirectory() ? "directory" : "file";
  } catch {
    // Absent, or behind a door that is closed to us and therefore to what we start.
    return null;
  }
}
