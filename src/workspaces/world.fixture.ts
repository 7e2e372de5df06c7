// What a variant brings to the contract suite: the world around it, with an agent and a user to play.
import type { Workspaces } from "./workspace.ts";

/** A fresh mission whose head holds `readme.md` with "hello\n"; `ignored.txt` is ignored there. */
export interface WorkspacesFixture {
  readonly workspaces: Workspaces;
  /** Another handle on the same disk, as a second process has one. */
  secondProcess(): Workspaces;
  write(path: string, file: string, text: string): Promise<void>;
  remove(path: string, file: string): Promise<void>;
  /** Text of a file below any path the variant answered, archives included; null when absent. */
  read(path: string, file: string): Promise<string | null>;
  /** The agent commits everything itself. */
  commitInside(path: string, message: string): Promise<void>;
  readAtHead(file: string): Promise<string | null>;
  /** Subjects of the commits merged into the mission branch, oldest first. */
  log(): Promise<readonly string[]>;
  archives(): Promise<number>;
  dispose(): Promise<void>;
}

export interface VariantTraits {
  /** The workspace is the user's checkout: there is one lane, and ignored files stay where they are. */
  readonly inPlace: boolean;
}

/** As most variants are. */
export const apart: VariantTraits = { inPlace: false };

export type MakeFixture = () => Promise<WorkspacesFixture>;
