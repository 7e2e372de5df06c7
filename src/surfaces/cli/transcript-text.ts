// A transcript's events as lines for people. Nothing that an agent said or got can act on the terminal.
import { moneyText, tokensText } from "../../core/views/used.ts";
import { harmless, oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import type { Account } from "../../protocol/account.ts";
import type { TranscriptEvent } from "../../protocol/transcript.ts";
import { changeLines } from "./change-lines.ts";
import type { Colour, Paint } from "./paint.ts";
import { fit } from "./text-width.ts";

export interface Look {
  readonly paint: Paint;
  /** How wide a line may be; what is the agent's own text is not cut. */
  readonly columns: number;
}

const answerLines = 4;
const widest = 1_000;

export function transcriptLines(event: TranscriptEvent, look: Look): readonly string[] {
  const line = (colour: Colour, text: string): string => look.paint(colour, cut(text, look));
  switch (event.type) {
    case "began":
      return [line("dim", `version ${event.version}, model ${event.model}, permissions ${event.permissions}`)];
    case "said":
      return event.text
        .trimEnd()
        .split("\n")
        .map((text) => harmless(text, Number.POSITIVE_INFINITY));
    case "called":
      return [line("cyan", `▸ ${event.tool}${event.about === "" ? "" : `  ${event.about}`}`)];
    case "changed":
      return changeLines(event).map(({ sign, text }) =>
        line(sign === "-" ? "red" : sign === "+" ? "green" : "dim", `    ${sign} ${text}`),
      );
    case "answered":
      return answerText(event.text).map((text, at) =>
        line(event.ok ? "dim" : "red", `  ${at > 0 ? " " : event.ok ? "⎿" : "✗"} ${text}`),
      );
    case "retried":
      return [
        line(
          "yellow",
          `↻ its service lets it wait: retry ${event.retry} of ${event.most} in ${(event.delayMs / 1_000).toFixed(1)} s (${event.why})`,
        ),
      ];
    case "limit": {
      if (event.status === "allowed") return [];
      const until = event.until === null ? "" : `, until ${isoTime(event.until)}`;
      return [line("yellow", `! limit ${event.name}: ${event.status}${until}`)];
    }
    case "concluded": {
      const how = event.ok ? "ended" : `ended: ${event.message}`;
      return [line(event.ok ? "green" : "red", `■ ${how} – ${accountText(event.account)}`)];
    }
    case "printed":
      return [line("dim", `| ${event.text}`)];
  }
}

const cut = (text: string, { columns }: Look): string =>
  fit(oneLine(text.replaceAll("\t", "  "), widest), Math.max(20, columns));

/** The beginning: what a tool answers is meant for the agent. */
function answerText(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return ["(nothing)"];
  if (lines.length <= answerLines) return lines;
  return [...lines.slice(0, answerLines - 1), `… ${lines.length - answerLines + 1} more lines`];
}

function accountText({ turns, tokens, cost }: Account): string {
  const all = tokensText(tokens.input + tokens.cached + tokens.output);
  const money = cost.basis === "unknown" ? "cost unknown" : moneyText(cost.usd);
  return `${turns === 1 ? "1 turn" : `${turns} turns`}, ${all} tokens, ${money}`;
}
