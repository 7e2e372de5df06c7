// What every notifier must do, whomever it tells. Each variant calls this with one that can be reached.
import { describe, expect, test } from "vitest";
import type { Notification } from "../protocol/view.ts";
import type { Notifier } from "./notifier.ts";

const kinds = ["done", "failed", "approval", "ended"] as const;
const texts = ["task-001 is done", "", "two\nlines\x1b[2J", "x".repeat(1_000_000), "Grüße 😀 \ud800"];

export function describeNotifier(name: string, create: () => Notifier): void {
  describe(`${name}, as a notifier`, () => {
    test("any notification is sent, one after the other", async () => {
      const notifier = create();
      for (const kind of kinds) {
        for (const text of texts) expect(await notifier.send({ kind, text })).toBeUndefined();
      }
    });

    test("notifications may be sent at the same time", async () => {
      const notifier = create();
      const all = kinds.map((kind): Notification => ({ kind, text: "at once" }));
      expect(await Promise.all(all.map((notification) => notifier.send(notification)))).toEqual(
        all.map(() => undefined),
      );
    });

    test("a notification is left as it was", async () => {
      const notification: Notification = Object.freeze({ kind: "done", text: "a\nb" });
      await create().send(notification);
      expect(notification).toEqual({ kind: "done", text: "a\nb" });
    });
  });
}
