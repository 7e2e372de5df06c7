// What the views are made from. They follow the journal: they may lag behind it, never lead (F4).
import type { ReadonlyState } from "../../core/state.ts";
import type { Command } from "../../protocol/input.ts";
import type { StoredEvent } from "../../stores/store.ts";

export interface ViewSource {
  /**
   * Calls `use` once, synchronously, with a state that is at the journal's head and holds nothing but committed
   * events. Must not be answered from inside a transaction: what is folded there may never be committed.
   */
  look<T>(use: (state: ReadonlyState) => T): Promise<T>;
  /** Committed events after a position, in order, at most `limit`. */
  read(after: number, limit: number): Promise<readonly StoredEvent[]>;
}

/** A source that also takes what was found in an edited file. */
export interface EditSource extends ViewSource {
  /** Asks for something in the name of whoever changed the file. */
  submit(command: Command): Promise<unknown>;
}
