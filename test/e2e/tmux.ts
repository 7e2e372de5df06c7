// A terminal of its own, run by a tmux server that only this test knows.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { cli, type TestProject } from "./project.ts";

export interface Terminal {
  screen(): string;
  resize(columns: number, rows: number): void;
  /** Presses keys by their tmux names, such as `C-c`. */
  press(...keys: readonly string[]): void;
  type(text: string): void;
  /** Types it and presses Enter. */
  enter(text: string): void;
  ask(format: string): string;
  /** Looks until it is there; the test's own time limit ends the wait. */
  shows(text: string | RegExp): Promise<string>;
}

export const harnessCommand = (args: string): string => `'${process.execPath}' '${cli}' ${args}`;

export function openTerminal(project: TestProject, command: string): Terminal {
  const socket = join(project.place, "tmux");
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-S", socket, ...args], { cwd: project.root, env: project.env, encoding: "utf8" });
  // The shell survives Ctrl-C and stays after the command, so that its last screen can be looked at.
  const kept = `trap : INT; ${command}; echo "exit code $?"; exec cat`;
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", kept);
  onTestFinished(() => void tmux("kill-server"));
  const screen = () => tmux("capture-pane", "-p").trimEnd();
  return {
    screen,
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    press: (...keys) => void tmux("send-keys", ...keys),
    type: (text) => void tmux("send-keys", "-l", text),
    enter: (text) => {
      tmux("send-keys", "-l", text);
      tmux("send-keys", "Enter");
    },
    ask: (format) => tmux("display-message", "-p", format).trim(),
    async shows(text) {
      for (;;) {
        const seen = screen();
        if (typeof text === "string" ? seen.includes(text) : text.test(seen)) return seen;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
