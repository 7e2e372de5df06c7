// What an attempt remembers from one iteration to the next, so that it can be told when they go in circles. Counted from
// facts of the journal: neither a crash nor a restart begins a row anew (PR-7).
import type { Event } from "../protocol/event.ts";
import type { Failure } from "../protocol/failure.ts";
import type { CutBecause, Standing } from "../protocol/standing.ts";
import type { DeepReadonly } from "./deep-readonly.ts";
import { sameWords } from "./same-words.ts";

export interface Cut {
  readonly because: CutBecause;
  readonly message: string;
}

/** Iterations in a row, up to the last. */
export interface Repeats {
  /** The workspace when the last one ended; null: nobody looked. */
  readonly tree: string | null;
  /** That ended with this tree. */
  readonly trees: number;
  /** Whose work did not pass, with the same failure each time. */
  readonly errors: number;
  /** That were cut short because the same call kept failing in the same way. */
  readonly calls: number;
  /** That call, in the words of the last of them. */
  readonly call: string | null;
}
export const noRepeats: Repeats = { tree: null, trees: 0, errors: 0, calls: 0, call: null };

export interface Remembered {
  readonly unkept: Failure | null;
  readonly cut: Cut | null;
  readonly repeats: Repeats;
  /** How often its brief did not fit into the agent's context: it is made smaller each time. */
  readonly overflows: number;
  /** Where the work stood when an iteration ended. */
  readonly standing: DeepReadonly<Standing & { iteration: number }> | null;
}

/** The same before the event is recorded, for whoever decides, and after it, for the fold. */
export function rememberedAfter(before: Remembered, event: Event): Remembered {
  const { unkept, cut, repeats, overflows, standing } = before;
  switch (event.type) {
    case "iteration.ended":
      // One that could not be served is none (I3).
      return event.end.reason === "delayed" ? { unkept, cut, repeats, overflows, standing } : afterEnd(before, event);
    case "promise.unkept": {
      const { failure } = event;
      const goesOn = repeats.errors > 0 && unkept !== null && isSame(unkept, failure);
      const errors = isVerdict(failure) ? (goesOn ? repeats.errors + 1 : 1) : 0;
      return { unkept: failure, cut, repeats: { ...repeats, errors }, overflows, standing };
    }
    case "phase.passed":
      // It came to something.
      return {
        unkept: null,
        cut: null,
        repeats: { ...repeats, trees: 0, errors: 0, calls: 0, call: null },
        overflows,
        standing,
      };
    case "attempt.rebased":
      return { unkept, cut, repeats: { ...repeats, tree: event.tree, trees: 0 }, overflows, standing: null };
    case "attempt.recovered":
      // Who was lost had no chance to come to anything: it is not counted, and no reason to begin anew.
      if (event.tree === undefined || event.tree === repeats.tree) return { unkept, cut, repeats, overflows, standing };
      return { unkept, cut, repeats: { ...repeats, tree: event.tree, trees: 0 }, overflows, standing: null };
    default:
      return { unkept, cut, repeats, overflows, standing };
  }
}

type IterationEnded = Extract<Event, { type: "iteration.ended" }>;

function afterEnd({ unkept, repeats, overflows, standing }: Remembered, event: IterationEnded): Remembered {
  const { end, stood } = event;
  const isUnfinished = end.reason === "unfinished";
  const cut = isUnfinished && end.because !== undefined ? { because: end.because, message: end.message } : null;
  // It could not even begin: that says nothing about what it would have come to.
  if (cut?.because === "overflow" && !wasServed(event))
    return { unkept, cut, repeats, overflows: overflows + 1, standing };
  const isRepeating = cut?.because === "repeating";
  const isSameCall = isRepeating && repeats.call !== null && sameWords(repeats.call, cut.message);
  return {
    unkept,
    cut,
    repeats: {
      tree: stood?.tree ?? null,
      trees: stood === undefined ? 0 : stood.tree === repeats.tree ? repeats.trees + 1 : 1,
      // Of one that claims to be finished the verdict is still to come.
      errors: isUnfinished ? 0 : repeats.errors,
      calls: isRepeating ? (isSameCall ? repeats.calls + 1 : 1) : 0,
      call: isRepeating ? cut.message : null,
    },
    overflows,
    standing: stood?.standing === undefined ? null : { ...stood.standing, iteration: event.iteration },
  };
}

/** The model answered: then the brief did fit, and the work has filled the context. */
function wasServed({ end: { account } }: IterationEnded): boolean {
  if (account === undefined) return false;
  const { input, cached, output } = account.tokens;
  return input + cached + output > 0;
}

/** That a promise was not given is no error: whoever works on may need all iterations there are. */
const isVerdict = ({ kind }: Failure): boolean => kind === "test_fail" || kind === "timeout";

const isSame = (a: Failure, b: Failure): boolean =>
  a.kind === b.kind && sameWords(a.message, b.message) && sameWords(a.evidence ?? "", b.evidence ?? "");
