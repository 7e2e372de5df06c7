// The double of the gate family: answers what it was told to, in order; the last answer repeats.
import * as z from "zod";
import { assertNever } from "../../kit/assert-never.ts";
import type { Verdict } from "../../protocol/gate.ts";
import { defineGate } from "../gate.ts";

const Answer = z.enum(["pass", "fail", "unable"]);
type Answer = z.infer<typeof Answer>;

export const scripted = defineGate({
  name: "scripted",
  options: z.strictObject({ verdicts: z.array(Answer).min(1, "must hold at least one of: pass, fail, unable") }),
  create({ verdicts }) {
    let next = 0;
    return {
      async check(_request, signal) {
        if (signal.aborted) return verdictFor("unable", "stopped before it could judge");
        const answer = verdicts[Math.min(next, verdicts.length - 1)] ?? "unable";
        next += 1;
        return verdictFor(answer, `scripted verdict: ${answer}`);
      },
    };
  },
});

function verdictFor(answer: Answer, message: string): Verdict {
  switch (answer) {
    case "pass":
      return { verdict: "pass", evidence: message };
    case "fail":
      return { verdict: "fail", failure: { kind: "test_fail", message } };
    case "unable":
      return { verdict: "unable", failure: { kind: "env_setup", message } };
    default:
      return assertNever(answer);
  }
}
