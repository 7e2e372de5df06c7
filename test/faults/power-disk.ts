// A machine whose power can be cut: disks in loop files. A cut clones the files, which hold what was flushed to the
// disks and nothing that is only in memory, and shows the clones to a namespace that looks like the next boot.
//
// The loop files lie on an XFS of their own, because its clone is one step however busy the disks are: a slow copy
// would mix moments, and no cut does that.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Namespace } from "./power-namespace.ts";

export type FileSystem = "ext4" | "xfs";

const programs = ["mkfs.ext4", "mkfs.xfs", "losetup", "nsenter", "unshare", "mount"];
/** XFS takes no less than 300 MB; the files are sparse and in memory. */
const diskMb = 400;

/** Why power cannot be cut on this machine, or null when it can. */
export function whyNoPowerCuts(): string | null {
  if (process.platform !== "linux") return "loop mounts are Linux's";
  if (process.getuid?.() !== 0) return "only root may mount a file system";
  const missing = programs.filter((name) => !isProgram(name));
  if (missing.length > 0) return `${missing.join(", ")} not found`;
  if (!existsSync("/dev/loop-control")) return "there are no loop devices";
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", tmpdir()], { stdio: "pipe" });
  } catch (error) {
    return `mounting is not permitted: ${(error as Error).message.split("\n").at(-2) ?? ""}`;
  }
  return null;
}

const isProgram = (name: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${name}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const build = `
place=$1 disks=$2 kind=$3
mount -t tmpfs -o size=3g tmpfs "$place"
truncate -s 2G "$place/clonable.img"
mkfs.xfs -q -m reflink=1 "$place/clonable.img"
mkdir "$place/images"
mount -o loop "$place/clonable.img" "$place/images"
for disk in $disks; do
  truncate -s ${diskMb}M "$place/images/$disk"
  case $kind in ext4) mkfs.ext4 -q -F "$place/images/$disk" ;; xfs) mkfs.xfs -q "$place/images/$disk" ;; esac
  mkdir "$place/$disk"
  mount -o loop "$place/images/$disk" "$place/$disk"
done`;

/** Mounting replays the file system's journal, as the next boot would. A process is known by its boot as well. */
const boot = `
place=$1 disks=$2 options=$3 cut=$4
for disk in $disks; do mount -o "loop$options" "$place/images/$cut.$disk" "$place/$disk"; done
echo "$cut" > "$place/$cut.boot"
mount --bind "$place/$cut.boot" /proc/sys/kernel/random/boot_id`;

/** The end of a namespace unmounts too, but not surely at once. What was killed may still be on its way out. */
const letGo = `
for point in "$@"; do
  for try in $(seq 50); do umount "$point" 2>/dev/null && continue 2; sleep 0.1; done
  echo "$point stays in use" >&2; exit 1
done`;

const unmount = (namespace: Namespace, ...points: readonly string[]): Promise<string> =>
  namespace.must(["sh", "-c", letGo, "sh", ...points]);

export class Machine {
  readonly place: string;
  readonly namespace: Namespace;
  readonly #kind: FileSystem;
  readonly #disks: readonly string[];

  private constructor(place: string, namespace: Namespace, kind: FileSystem, disks: readonly string[]) {
    this.place = place;
    this.namespace = namespace;
    this.#kind = kind;
    this.#disks = disks;
  }

  /** Each disk is mounted below `place` under its name, for those in the namespace only. */
  static async boot(kind: FileSystem, disks: readonly string[]): Promise<Machine> {
    const place = mkdtempSync(join(tmpdir(), "harness-power-"));
    return new Machine(place, await Namespace.open(build, [place, disks.join(" "), kind]), kind, disks);
  }

  /**
   * The disks at this moment, one after the other in the order they were named. With more than one, whoever writes to
   * the first must be stopped meanwhile.
   */
  async clone(): Promise<string> {
    const cut = randomUUID();
    for (const disk of this.#disks) {
      const image = join(this.place, "images", disk);
      await this.namespace.must(["cp", "--reflink=always", image, join(this.place, "images", `${cut}.${disk}`)]);
    }
    return cut;
  }

  /** What the next boot finds at the same paths. Closing it lets the clones go. */
  async bootFrom(cut: string): Promise<{ readonly namespace: Namespace; close(): Promise<void> }> {
    // The original is mounted beside its clone: XFS would take that for a mistake.
    const options = this.#kind === "xfs" ? ",nouuid" : "";
    const args = [this.place, this.#disks.join(" "), options, cut];
    const namespace = await Namespace.open(boot, args, this.namespace);
    return {
      namespace,
      close: async () => {
        await unmount(namespace, ...this.#disks.map((disk) => join(this.place, disk)));
        await namespace.close();
        const images = this.#disks.map((disk) => join(this.place, "images", `${cut}.${disk}`));
        await this.namespace.must(["rm", "-f", join(this.place, `${cut}.boot`), ...images]);
      },
    };
  }

  async switchOff(): Promise<void> {
    const below = [...this.#disks, "images"].map((name) => join(this.place, name));
    try {
      await unmount(this.namespace, ...below, this.place);
    } finally {
      await this.namespace.close();
    }
    rmdirSync(this.place);
  }
}
