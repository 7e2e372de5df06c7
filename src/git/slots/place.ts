// What variants that work in slots differ in: how the place of an attempt is made.
import type { CommitId } from "../../protocol/ids.ts";
import type { GitCall } from "../git.ts";
import type { Site } from "../site.ts";
import type { Slot } from "./slot.ts";

/** How git may change the files of a place that was made. */
export interface Place extends GitCall {
  readonly workTree: string;
  /** The index that whoever works there will find. */
  readonly indexFile: string;
  /** Where objects have to be for git to find them there. */
  readonly objectsDir: string;
}

export interface PlaceOrder {
  /** Out of sight, and not there yet. */
  readonly directory: string;
  readonly base: CommitId;
  readonly task: string;
  readonly fence: number;
}

export interface PlaceKind {
  /** Makes a checkout of the base. */
  make(site: Site, slot: Slot, order: PlaceOrder): Promise<Place>;
  /** One that was given back, as it is after it was brought to another base; null: it does not serve again. */
  readonly again: ((directory: string) => Place) | null;
}
