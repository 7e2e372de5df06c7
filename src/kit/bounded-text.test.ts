import fc from "fast-check";
import { expect, test } from "vitest";
import { createBoundedText, createTextTail } from "./bounded-text.ts";

test("a text that fits is kept whole", () => {
  const bounded = createBoundedText({ headBytes: 3, tailBytes: 3 });
  for (const piece of ["ab", "cd", "ef"]) bounded.push(piece);
  expect(bounded.text()).toBe("abcdef");
});

test("a longer text keeps head and tail, and says how much is missing", () => {
  const bounded = createBoundedText({ headBytes: 4, tailBytes: 5 });
  bounded.push("0123456789".repeat(10));
  expect(bounded.text()).toBe("0123\n… 91 bytes left out …\n56789");
});

test("without a head only the tail is kept", () => {
  const bounded = createBoundedText({ headBytes: 0, tailBytes: 2 });
  bounded.push("abcdef");
  expect(bounded.text()).toBe("… 4 bytes left out …\nef");
});

test("a tail is the end of the text, from its first whole character", () => {
  const [long, short] = [createTextTail(5), createTextTail(5)];
  for (const piece of ["ab", "€€", "c"]) long.push(piece);
  short.push("abc");
  expect([long.text(), short.text()]).toEqual(["€c", "abc"]);
});

test("no character is cut, and nothing is counted twice", () => {
  const limits = fc.record({ headBytes: fc.nat({ max: 20 }), tailBytes: fc.nat({ max: 20 }) });
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "€", "😀"), maxLength: 8 }), { maxLength: 20 });
  fc.assert(
    fc.property(limits, pieces, (size, parts) => {
      const bounded = createBoundedText(size);
      for (const part of parts) bounded.push(part);
      const whole = parts.join("");
      const total = Buffer.byteLength(whole);
      const text = bounded.text();
      if (total <= size.headBytes + size.tailBytes) {
        expect(text).toBe(whole);
        return;
      }
      const [, head = "", leftOut = "", tail = ""] = /^(?:(.*)\n)?… (\d+) bytes left out …\n(.*)$/s.exec(text) ?? [];
      expect([whole.startsWith(head), whole.endsWith(tail)]).toEqual([true, true]);
      expect(Buffer.byteLength(head) + Number(leftOut) + Buffer.byteLength(tail)).toBe(total);
      expect(Buffer.byteLength(head)).toBeLessThanOrEqual(size.headBytes);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(size.tailBytes);
    }),
  );
});
