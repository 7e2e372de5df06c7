// Journal text ↔ events. Old versions are lifted here, one step each; newer or unknown ones are refused unharmed.

import { bodySchema, type Event, type EventType, isEventType, type Recorded } from "./event.ts";
import { adoptedWithKindAndPhase, withKindAndPhase } from "./upcasters/kind-and-phase.ts";

type Fields = Record<string, unknown>;
/** `["task.claimed"][0]` lifts version 1 to 2, `[1]` lifts 2 to 3: the current version follows from the list. */
export type Upcasters = { readonly [T in EventType]?: ReadonlyArray<(fields: Fields) => Fields> };

const exclusive = (fields: Fields): Fields => ({ ...fields, concurrency: "exclusive" });

const withoutResume = (fields: Fields): Fields => {
  const effect = fields.effect as Fields;
  return effect.kind === "workspace.open" ? { ...fields, effect: { ...effect, resume: null } } : fields;
};

const withoutKept = (fields: Fields): Fields => {
  const effect = fields.effect as Fields;
  return effect.kind === "workspace.commit" ? { ...fields, effect: { ...effect, kept: null } } : fields;
};

const inItsKeys = ({ summary, next, ...fields }: Fields): Fields => ({
  ...fields,
  handoff: { phase: "", completed: [], nextStep: next, criticalFiles: [], notes: summary },
  hash: null,
});

const upcasters: Upcasters = {
  // It may have been left in a file, which has more keys, since version 2.
  "agent.handedOff": [inItsKeys],
  // An agent may be waited for since version 4, room in the budget since version 5, declared outputs and phases be judged since 6.
  "effect.requested": [withoutResume, withoutKept, (fields) => fields, (fields) => fields, (fields) => fields],
  // It may have ended because its agent could not serve since version 2.
  "iteration.ended": [(fields) => fields],
  "mission.created": [exclusive],
  "plan.adopted": [exclusive],
  "run.started": [(fields) => ({ ...fields, worker: null, claims: null, leaseSeconds: null })],
  "task.added": [withKindAndPhase],
  "task.edited": [withKindAndPhase],
  "task.adopted": [adoptedWithKindAndPhase],
  // A wanted change may name kind and phase since version 2.
  // An agent may have asked since version 3. A wanted change may name outputs since version 4.
  "approval.asked": [(fields) => fields, (fields) => fields, (fields) => fields],
  // A yes may have a note since version 2.
  "approval.granted": [(fields) => fields],
};

const versionOf = (type: EventType, table: Upcasters): number => 1 + (table[type]?.length ?? 0);

interface Kept {
  readonly at: number;
  readonly type: string;
  readonly v: number;
  readonly body: string;
}

/** The journal was written by a newer Harness: it may be looked at by that one only. */
export class NewerJournalError extends Error {
  constructor(type: string, v: number) {
    super(
      `the journal holds "${type}" version ${v}, which this Harness does not know; nothing was changed – use the newer Harness that wrote it`,
    );
    this.name = "NewerJournalError";
  }
}

/** Checked against the schema: what is written once must be readable for ever. */
export function encodeEvent(event: Event, at: number): Kept {
  const { type, ...fields } = event;
  return { at, type, v: versionOf(type, upcasters), body: JSON.stringify(bodySchema(type).parse(fields)) };
}

/** Not checked against the schema again: the chain vouches for it, and a million events must load quickly. */
export function decodeEvent(kept: Kept, table: Upcasters = upcasters): Recorded {
  const { type, at } = kept;
  if (!isEventType(type) || kept.v > versionOf(type, table)) throw new NewerJournalError(type, kept.v);
  let fields = JSON.parse(kept.body) as Fields;
  const lifts = table[type] ?? [];
  for (let v = kept.v; v <= lifts.length; v += 1) fields = lifts[v - 1]?.(fields) ?? fields;
  // Nobody else has it yet: a copy would be made a million times.
  fields.type = type;
  fields.at = at;
  return fields as Recorded;
}
