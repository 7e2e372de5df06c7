// Lists of things to tick off, as Markdown writes them: `- [ ] open`, `- [x] done`.

export interface Checklist {
  readonly done: number;
  readonly open: number;
  /** The first ones that are open. */
  readonly next: readonly string[];
}

/** Null: there is none in it. */
export function checklistIn(text: string, { items, length }: { items: number; length: number }): Checklist | null {
  let [done, open] = [0, 0];
  const next: string[] = [];
  for (const [, mark = "", words = ""] of text.matchAll(
    /^[ \t]*(?:[-*+]|\d{1,6}[.)])[ \t]+\[([ xX])\][ \t]+(\S.*)$/gm,
  )) {
    if (mark !== " ") done += 1;
    else {
      open += 1;
      if (next.length < items) next.push(words.trim().slice(0, length));
    }
  }
  return done + open === 0 ? null : { done, open, next };
}

/** Files that are there to hold one, by their name. */
export const isChecklistName = (name: string): boolean => /^(?:todo|plan|tasks|.*checklist.*)\.md$/i.test(name);
