// How many columns a text takes in a terminal, and how to make it fit.

let segmenter: Intl.Segmenter | undefined;
/** Made when it is needed: plain text needs none, and every command would wait for it. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}
const zero = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u;
/** East Asian wide and full-width blocks, and what is drawn as a picture. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

export function textWidth(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** At most `columns` wide; what is cut off leaves a mark. */
export function fit(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? "" : `${kept}…`;
}

const graphemeWidth = (grapheme: string): number => (zero.test(grapheme) ? 0 : wide.test(grapheme) ? 2 : 1);
