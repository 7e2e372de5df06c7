// Which known name somebody probably meant.

const longestName = 64;

/** The nearest name, or null when none is near. Case, dashes and underscores do not count. */
export function nearest(written: string, names: readonly string[]): string | null {
  if (written.length > longestName) return null;
  const wanted = plain(written);
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of names) {
    const distance = editDistance(wanted, plain(name));
    const allowed = Math.floor(Math.max(wanted.length, plain(name).length) / 3);
    if (distance <= allowed && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

/** Levenshtein: how many letters must be put in, taken out or replaced. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    let diagonal = index;
    let left = index + 1;
    row = row.map((above, column) => {
      if (column === 0) return left;
      const cost = Math.min(above + 1, left + 1, diagonal + (to[column - 1] === letter ? 0 : 1));
      diagonal = above;
      left = cost;
      return cost;
    });
  }
  return row[to.length] ?? 0;
}
