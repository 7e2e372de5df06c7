// Tries what must be impossible, in a real sandbox, before anybody relies on it.
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../../kit/escape.ts";
import { makeOwnFolder } from "../../kit/own-folder.ts";
import { identifySelf } from "../../kit/process-identity.ts";
import { type RunResult, runProcess } from "../../kit/run-process.ts";
import type { ProbePlace, Reach, Sandbox } from "../sandbox.ts";

/** Each prints a line when it worked. What is to be refused first, then what is to work, then the end. */
const script = `
dir=$1 pid=$2 start=$3 file=$4 network=$5 namespace=$6 inode=$7
did() { echo "$1"; }
seen() {
  (cat "$dir/secret") > /dev/null 2>&1 && did "read the state home$1"
  [ -n "$file" ] && (cat "$file") > /dev/null 2>&1 && did "read a file of the home directory$1"
}
seen ""
(echo x > "$dir/outside/planted") 2> /dev/null && did "write outside its workspace"
(mkdir "/harness-probe.$$" && rmdir "/harness-probe.$$") 2> /dev/null && did "write to the root directory"
IFS=' ' read -r line < "/proc/$pid/stat" 2> /dev/null && {
  set -- \${line##*) }
  [ "\${20}" = "$start" ] && did "see a process of the machine"
}
# Inside, numbers begin at 1: so high a one is nobody's there.
[ "$pid" -gt 100 ] && kill -0 "$pid" 2> /dev/null && did "signal a process of the machine"
[ "$(readlink /proc/self/ns/pid)" = "$namespace" ] && did "share the machine's processes"
# To the mode it has: a trial must not do what it looks for.
[ "$(ls -i /dev/null)" = "$inode /dev/null" ] && chmod 666 /dev/null 2>&1 && did "change a device of the machine"
# Opened and not written.
for setting in kernel/core_pattern vm/overcommit_memory; do
  (: >> "/proc/sys/$setting") 2> /dev/null && did "change a setting of the kernel"
done
mount -t tmpfs none /mnt > /dev/null 2>&1 && did "mount a file system"
for place in "$dir" "\${dir%/*}" "$HOME" /tmp; do umount -l "$place" > /dev/null 2>&1 && did "unmount $place"; done
seen " by unmounting"
[ "$network" = off ] && grep -q '^ *[^l ][^o]*[a-z0-9]*:' /proc/net/dev && did "reach the network"
(echo x > "$dir/work/allowed") 2> /dev/null && did workspace
(echo x > "\${TMPDIR:-/tmp}/allowed") 2> /dev/null && did temp
(cd "$dir/work" && git init -q . && git status) > /dev/null 2>&1 && did git
did end
`;
const wanted = ["workspace", "temp", "git", "end"];
const timeoutMs = 20_000;

/** Null: every forbidden act was refused, every allowed one worked. */
export async function tryForbiddenActs(
  sandbox: Sandbox,
  reach: Reach,
  { directory, env }: ProbePlace,
): Promise<string | null> {
  const dir = await makeOwnFolder(directory, "probe");
  try {
    for (const name of ["work", "outside"]) mkdirSync(join(dir, name));
    writeFileSync(join(dir, "secret"), "secret\n");
    const tried = { ...reach, read: [...reach.read, join(dir, "outside")], write: [join(dir, "work")] };
    const self = await identifySelf();
    const file = fileOfHome(env.HOME, reach);
    const network = reach.network ? "on" : "off";
    const facts = [dir, String(self.pid), self.startTime, file, network, readlinkSync("/proc/self/ns/pid")];
    facts.push(String(statSync("/dev/null").ino));
    const result = await runProcess({
      argv: ["/bin/sh", "-c", script, "sh", ...facts],
      wrap: (argv, cwd) => sandbox.confine(argv, cwd, tried),
      cwd: join(dir, "work"),
      env,
      announce: async () => true,
      timeoutMs,
      graceMs: 0,
    });
    return complaintOf(result, { isPlanted: existsSync(join(dir, "outside/planted")), dir });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function complaintOf(result: RunResult, { isPlanted, dir }: { isPlanted: boolean; dir: string }): string | null {
  if (result.end === "not_started") return `bwrap could not be started (${result.reason})`;
  const lines = result.output.split("\n").filter((line) => line !== "");
  const breach = lines.find((line) => isBreach(line)) ?? (isPlanted ? "write outside its workspace" : undefined);
  if (breach !== undefined) return `in a trial, a program in it could ${breach.replaceAll(dir, "…")}`;
  const complaint = lines.find((line) => line.startsWith("bwrap:"));
  if (complaint !== undefined) return oneLine(complaint.replaceAll(dir, "…"), 300);
  if (!lines.includes("end")) return `bwrap did not run what it was given (${result.end}, exit ${result.code})`;
  const missing = wanted.find((line) => !lines.includes(line));
  return missing === undefined ? null : `in a trial, a program in it could not use its ${missing}`;
}

const isBreach = (line: string): boolean => /^(read|write|see|signal|share|mount|unmount|reach|change) /.test(line);

/** One that is there and that the reach does not show; "" if the home is empty. */
function fileOfHome(home: string | undefined, { read, write }: Reach): string {
  if (home === undefined) return "";
  try {
    const isShown = (path: string): boolean =>
      [...read, ...write].some((top) => path === top || path.startsWith(`${top}/`));
    const files = readdirSync(home).map((name) => join(home, name));
    return files.find((path) => !isShown(path) && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)) ?? "";
  } catch {
    // A home that is not there, or closed to us, has nothing to be read.
    return "";
  }
}
