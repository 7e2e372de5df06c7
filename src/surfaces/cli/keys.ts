// One key for one choice, at a terminal.
import type { Context } from "./context.ts";

/** Ctrl-C, Ctrl-D, Escape alone and q take nothing back and choose nothing. */
const leaving = new Set(["\u0003", "\u0004", "\u001b", "q"]);

/** The first of these keys that is pressed; null: whoever is there leaves, or has gone. Enter is "\r". */
export function pressedKey({ stdin }: Pick<Context, "stdin">, keys: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const end = (key: string | null): void => {
      stdin.off("data", listen);
      stdin.off("end", leave);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(key);
    };
    const leave = (): void => end(null);
    const listen = (data: Buffer | string): void => {
      const typed = String(data);
      // Keys that came together are looked at one by one; an arrow or a paste is none of ours.
      const key = typed.startsWith("\u001b") && typed.length > 1 ? "" : (typed[0] ?? "");
      const pressed = key === "\n" ? "\r" : key.toLowerCase();
      if (keys.includes(pressed)) end(pressed);
      else if (leaving.has(pressed)) end(null);
    };
    stdin.setRawMode(true);
    stdin.on("data", listen);
    stdin.on("end", leave);
    stdin.resume();
  });
}
