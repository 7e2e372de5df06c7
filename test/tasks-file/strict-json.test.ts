import fc from "fast-check";
import { expect, test } from "vitest";
import { isDamagedJson, parseStrictJson } from "../../src/protocol/strict-json.ts";

const outcome = (text: string): unknown => {
  const parsed = parseStrictJson(text, "a.json");
  return parsed.ok ? parsed.value : `${parsed.failure.message} → ${parsed.failure.remedy}`;
};

test("F7: what JSON.stringify writes is read as it was, in every layout", () => {
  const small = fc.double({ noNaN: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, true, false, "", {}, []),
      small.map((number) => number + 0),
      fc.maxSafeInteger(),
      fc.string({ unit: "binary" }),
      fc.array(tie("value")),
      fc.dictionary(fc.string({ unit: "binary" }).filter(isSafeKey), tie("value")),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2, "\t", "\r\n "), (given, layout) => {
      expect(parseStrictJson(JSON.stringify(given, null, layout), "a.json")).toEqual({ ok: true, value: given });
    }),
    { numRuns: 500 },
  );
});

const isSafeKey = (key: string): boolean => !["__proto__", "constructor", "prototype"].includes(key);

test("F7: what is read differs from JSON.parse never, what JSON.parse refuses is refused", () => {
  const piece = fc.constantFrom(..."{}[]:,\"\\-+.eE0123456789utrfalsn \n\t'/a\ud83d\ude00\u0001");
  const text = fc.oneof(
    fc.string({ unit: piece }),
    fc.tuple(fc.jsonValue(), fc.nat(), piece).map(([value, place, character]) => {
      const good = JSON.stringify(value);
      const at = place % (good.length + 1);
      return good.slice(0, at) + character + good.slice(at + 1);
    }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const strict = parseStrictJson(given, "a.json");
      let loose: { value: unknown } | null = null;
      try {
        loose = { value: JSON.parse(given) };
      } catch {
        // Not JSON: the strict reader must say so too.
      }
      if (loose === null) expect({ given, ok: strict.ok }).toEqual({ given, ok: false });
      else if (strict.ok) expect(JSON.stringify(strict.value)).toBe(JSON.stringify(loose.value));
      // Whatever says something is never taken for damage: a copy must not take its place.
      if (loose !== null) expect({ given, damaged: isDamagedJson(given) }).toEqual({ given, damaged: false });
    }),
    { numRuns: 3_000 },
  );
});

test.for([
  ["", "a.json:1:1: the file is empty → Put a good copy there."],
  ["\ufeff{}", 'a.json:1:1: the file starts with a byte order mark → Save it as "UTF-8", not as "UTF-8 with BOM".'],
  ['{\n  "a": [1, 2,]\n}', "a.json:2:14: a comma without anything after it in a[2] → Take that comma away."],
  ['{"a":\n [{"b":1,"b":2}]}', 'a.json:2:10: the key "b" stands twice in a[0] → Keep the one that is meant.'],
  ['{"x y":{"__proto__":1}}', 'a.json:1:9: the key "__proto__" in ["x y"] is not allowed → Rename it.'],
  [
    "[1e400]",
    'a.json:1:2: the number "1e400" in [0] is too large to be kept exactly → Use a number up to 9007199254740991, or a string.',
  ],
  ['{"a":"\\ud800"}', "a.json:1:6: half of a surrogate pair in a string in a → Write the whole character."],
  [
    "[[1]\n",
    'a.json:2:1: the text ends too early in [1]: a comma or "]" should follow → Mend the text at this place, or put a good copy there.',
  ],
  ["{} {}", 'a.json:1:4: there is more text after the end: "{}" → Take away what stands there.'],
])("F7: %j is refused with its place and the next step", ([text, expected]) => {
  expect(outcome(text ?? "")).toBe(expected);
});
