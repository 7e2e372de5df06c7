// A project and its state home on disks whose power can be cut, used through the built program.
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { cli } from "../e2e/project.ts";
import { type FileSystem, Machine, whyNoPowerCuts } from "./power-disk.ts";
import type { Namespace } from "./power-namespace.ts";

/** Many cuts instead of a few. */
export const isWhole = process.env.HARNESS_CHAOS !== undefined;

const reason = whyNoPowerCuts();
if (reason !== null) console.warn(`no power cuts here, their tests are skipped: ${reason}`);

/** A test that only root can do. */
export const testWithPower = test.skipIf(reason !== null);

export const fixture = (name: string): string => join(import.meta.dirname, name);

/** A cut may come at any time after something, not only at it. */
export const moment = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function bootMachine(kind: FileSystem, disks: readonly string[]): Promise<Machine> {
  const machine = await Machine.boot(kind, disks);
  onTestFinished(() => machine.switchOff());
  return machine;
}

export class Site {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #home: string;

  /** `on` names the disks; the state home is deep enough that several folders of it are new. */
  constructor(place: string, on: { readonly root: string; readonly home: string }) {
    this.root = join(place, on.root, "project");
    this.#home = join(place, on.home, "home");
    this.env = {
      PATH: process.env.PATH ?? "",
      HOME: this.#home,
      HARNESS_STATE_HOME: join(this.#home, "new", "state"),
      GIT_CONFIG_NOSYSTEM: "1",
    };
  }

  /** A repository with a few files in one commit, on the disk for certain: only what Harness does is in doubt. */
  async prepare(namespace: Namespace): Promise<void> {
    await namespace.must(["mkdir", this.root, this.#home]);
    // The disks are smaller than what must stay free of others.
    const config = join(this.#home, ".config/harness");
    const write = 'mkdir -p "$1" && echo \'{"resources":{"diskFloorMb":1}}\' > "$1/config.json"';
    await namespace.must(["sh", "-c", write, "sh", config]);
    await this.git(namespace, "init", "--quiet", "--initial-branch=main");
    await namespace.must(["cp", "-r", join(import.meta.dirname, "../../docs"), join(this.root, "docs")]);
    await this.git(namespace, "add", ".");
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
    await this.git(namespace, ...identity, "commit", "--quiet", "--message=base");
    await namespace.must(["sync", "-f", this.root]);
    await namespace.must(["sync", "-f", this.#home]);
  }

  git(namespace: Namespace, ...args: readonly string[]): Promise<string> {
    return namespace.must(["git", ...args], { cwd: this.root, env: this.env });
  }

  start(namespace: Namespace, args: readonly string[]): ReturnType<Namespace["start"]> {
    return namespace.start([process.execPath, cli, ...args], { cwd: this.root, env: this.env });
  }

  must(namespace: Namespace, ...args: readonly string[]): Promise<string> {
    return namespace.must([process.execPath, cli, ...args], { cwd: this.root, env: this.env });
  }

  look(namespace: Namespace): Promise<string> {
    return namespace.must([process.execPath, fixture("power-look.mjs"), this.root], { cwd: this.root, env: this.env });
  }
}
