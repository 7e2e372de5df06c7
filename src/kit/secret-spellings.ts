// Each known secret in the ways in which it is commonly written: inside JSON, an address, a header, a dump.

/** Shorter ones would tear words apart, and numbers of few digits are times and counts. */
const minLength = 8;
const maxDigits = 11;
const minDistinct = 3;
/** Stand where a secret would, and are none. */
const placeholders = new Set(["changeme", "disabled", "password", "placeholder", "required", "undefined"]);

/** Whether a value can be told from ordinary text at all. */
export function isTellable(value: string): boolean {
  if (value.length < minLength) return false;
  if (/^\d+$/.test(value)) return value.length > maxDigits;
  return new Set(value).size >= minDistinct && !placeholders.has(value.toLowerCase());
}

export function spellingsOf(values: readonly string[]): readonly string[] {
  const known = [...new Set(values.flatMap((value) => [value, value.trim()]))].filter(isTellable);
  const all = known.flatMap((value) => {
    const json = JSON.stringify(value).slice(1, -1);
    const bytes = Buffer.from(value);
    return [
      value,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(bytes.toString("utf8")),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      ...base64Of(bytes),
      ...value.split("\n").filter((line) => line.length >= longLine),
    ];
  });
  return [...new Set(all)].filter((spelling) => spelling.length >= minLength);
}

const longLine = 16;
/** Programs that encode break lines here. */
const column = 76;

/** What is the same in every text that holds the bytes, at each of the three places where they may begin. */
function base64Of(bytes: Buffer): readonly string[] {
  const inside = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((offset * 8) / 6), whole);
  });
  const first = inside[0] ?? "";
  const lines = first.length <= column ? [] : (first.match(/.{1,76}/g) ?? []).filter((line) => line.length >= longLine);
  const all = [...inside, ...lines];
  return [...all, ...all.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}
