// Who is waited for, why, and until when, in a line.
import { isoTime } from "../../kit/iso-time.ts";
import type { Wait, WaitKind } from "../../protocol/wait.ts";

const words: Record<WaitKind, string> = {
  usage_limit: "a usage limit",
  overloaded: "an overloaded service",
  rate_limited: "too many requests",
  network: "no connection",
};
type Shown = Pick<Wait, "agent" | "kind" | "until" | "quiet">;
export const waitText = ({ agent, kind, until, quiet }: Shown): string =>
  `waiting until ${isoTime(until)} for ${agent || "the agent"} (${words[kind]}${quiet ? ", then quiet hours" : ""})`;
