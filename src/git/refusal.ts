// Carries a failure from deep inside a verb to its end; never leaves this variant.
import { causeOf, remedyOf } from "../kit/file-error.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";

class Refusal extends Error {
  readonly failure: Failure;
  readonly passing: boolean;
  constructor(failure: Failure, passing: boolean) {
    super(failure.message);
    this.failure = failure;
    this.passing = passing;
  }
}

/** `passing`: something moved while it was looked at, so the next look may go well. */
export function refuse(failure: Failure, passing?: "passing"): never {
  throw new Refusal(failure, passing === "passing");
}

/** Looks again, a few times, when something moved meanwhile. */
export async function untilStill<T>(looks: number, look: () => Promise<T>): Promise<T> {
  for (let left = looks - 1; ; left -= 1) {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof Refusal && error.passing) || left === 0) throw error;
    }
  }
}

/** Runs a verb: refusals and the file system's errors become failures, anything else is a bug and stays thrown. */
export async function answer<T>(verb: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return succeeded(await verb());
  } catch (error) {
    if (error instanceof Refusal) return failed(error.failure);
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    const message = `the workspace's files could not be reached: ${causeOf(error)}`;
    return failed({ kind: "env_setup", message, remedy: remedyOf(error) });
  }
}

/** A question whose failure is a no: a workspace that cannot be examined is archived, not removed or given again. */
export const surely = (question: Promise<boolean>): Promise<boolean> => question.catch(() => false);
