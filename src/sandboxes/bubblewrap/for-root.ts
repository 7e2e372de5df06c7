// What a sandbox needs besides when root uses it. bwrap shows the machine's own devices, which belong to root: a program
// of root's could change their mode, for everybody. So root's programs get copies.
import { chmodSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeOwnFolder } from "../../kit/own-folder.ts";
import { runProcess } from "../../kit/run-process.ts";

const names = ["null", "zero", "full", "random", "urandom", "tty"];

/**
 * Settings of the kernel: root's programs may write them without having any right. Not covered for others, who cannot:
 * whoever wants a sandbox inside of this one needs them bare.
 */
const settings = ["sys", "sysrq-trigger", "irq", "bus", "fs"].map((name) => `/proc/${name}`);

/** Nothing for whoever is not root: the machine's devices and settings are not his to change. */
export async function guardsForRoot(directory: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  return [...((await deviceCopies(directory)) ?? []), ...settings.flatMap((path) => ["--ro-bind-try", path, path])];
}

/** Made in `directory` if not there. */
async function deviceCopies(directory: string): Promise<readonly string[] | null> {
  const copies = join(directory, "devices");
  // Whoever could not make them goes on with the machine's, and the probe says what that means.
  if (!names.every((name) => isDevice(join(copies, name))) && !(await makeCopies(directory, copies))) return null;
  // A program may have changed the mode of those it was given before.
  for (const name of names) chmodSync(join(copies, name), 0o666);
  return names.flatMap((name) => ["--dev-bind", join(copies, name), `/dev/${name}`]);
}

const script = `mknod null c 1 3 && mknod zero c 1 5 && mknod full c 1 7 && mknod random c 1 8 && mknod urandom c 1 9 &&
mknod tty c 5 0 && chmod 666 ${names.join(" ")}`;

/** Each is made elsewhere and moved into place: whoever does the same, or binds them, at that moment always finds them. */
async function makeCopies(directory: string, copies: string): Promise<boolean> {
  const own = await makeOwnFolder(directory, "devices");
  try {
    const { end, code } = await runProcess({
      argv: ["/bin/sh", "-c", script],
      cwd: own,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" },
      announce: async () => true,
      timeoutMs: 10_000,
    });
    if (end !== "exited" || code !== 0) return false;
    mkdirSync(copies, { recursive: true });
    for (const name of names) renameSync(join(own, name), join(copies, name));
    return true;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function isDevice(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() ?? false;
}
