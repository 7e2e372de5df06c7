// Text of programs on its way into the journal, with secrets taken out and its length bounded.
import type { Redactor } from "../../kit/redact.ts";
import type { IterationEnd } from "../../protocol/agent.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Verdict } from "../../protocol/gate.ts";

/** The end of a long text tells most: compilers and test runners sum up there. */
const tail = (text: string, max: number): string => (text.length <= max ? text : `… ${text.slice(2 - max)}`);
const longest = { message: 4_000, evidence: 16_000 };

export function redactedFailure(failure: Failure, { redact }: Redactor): Failure {
  const { evidence, ...rest } = failure;
  const message = tail(redact(failure.message), longest.message);
  return Failure.parse(
    evidence === undefined
      ? { ...rest, message }
      : { ...rest, message, evidence: tail(redact(evidence), longest.evidence) },
  );
}

export function redactedEnd(end: IterationEnd, redactor: Redactor): IterationEnd {
  switch (end.reason) {
    case "finished":
    case "unfinished":
      return { ...end, message: tail(redactor.redact(end.message), longest.message) };
    case "failed":
      return { ...end, failure: redactedFailure(end.failure, redactor) };
    case "delayed": {
      const { kind } = end.failure;
      return { ...end, failure: { ...redactedFailure(end.failure, redactor), kind } };
    }
    case "interrupted":
      return end;
  }
}

export function redactedVerdict(verdict: Verdict, redactor: Redactor): Verdict {
  if (verdict.verdict === "pass")
    return { ...verdict, evidence: tail(redactor.redact(verdict.evidence), longest.evidence) };
  return { ...verdict, failure: redactedFailure(verdict.failure, redactor) };
}
