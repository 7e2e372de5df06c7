// What the corpus of malformed state files says of each.
/**
 * `repair`: the text is no JSON, so a copy or the journal may take its place. `refuse`: it says something, so nothing
 * is changed until a person has mended it. `accept`: it is read; what was taken with tolerance is said.
 */
export type Expectation = "repair" | "refuse" | "accept";

export interface MalformedText {
  readonly name: string;
  /** Built when asked for: some are large. */
  readonly text: () => string;
  readonly expects: Expectation;
  /** Part of the message, or of one of the warnings; empty for what is accepted without a word. */
  readonly says: string;
}

/** What stands at the place of the file; made by tests that have a file system. */
export interface MalformedPlace {
  readonly name: string;
  /** Puts it there. */
  readonly make: (file: string) => void;
  readonly expects: Expectation;
  readonly says: string;
  /** Of the plan that comes of it. */
  readonly titles: readonly string[];
}
