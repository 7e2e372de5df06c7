// What waits for a person, and what agents and people have said about a task.
import type { TaskId } from "../protocol/ids.ts";
import type { TaskChange } from "../protocol/task.ts";
import type { Asker, Proposal } from "../protocol/told.ts";

export interface Approval {
  readonly name: string;
  readonly task: TaskId | null;
  readonly question: string;
  /** What a grant brings about for the task. */
  readonly change: TaskChange | null;
  /** The agent that asked. */
  readonly from: Asker | null;
  /** What a grant adds to the plan. */
  readonly proposal: Proposal | null;
}

export interface Note {
  readonly at: number;
  readonly text: string;
}
/** A question of an agent's that a person answered. */
export interface AnsweredQuestion {
  readonly question: string;
  readonly granted: boolean;
  readonly note: string;
}

/** A finding, in the few words that a brief has room for. */
export interface Found {
  readonly number: number;
  readonly task: TaskId;
  readonly title: string;
  /** How its text begins. */
  readonly lead: string;
}
