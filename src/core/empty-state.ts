// What the fold of a journal begins with.
import { noTally } from "./evolve/used.ts";
import { ReadyHeap } from "./ready-heap.ts";
import { noRounds } from "./rounds.ts";
import type { State } from "./state.ts";

export const emptyState = (): State => ({
  position: 0,
  at: 0,
  mission: null,
  paused: false,
  tasks: new Map(),
  pending: new Map(),
  approvals: new Map(),
  fence: 0,
  runs: new Map(),
  waits: new Map(),
  lastRun: null,
  used: noTally(),
  ledger: null,
  sessions: 0,
  session: null,
  rounds: noRounds(),
  barrier: null,
  preparation: { effect: null, failures: 0, passed: false },
  sandbox: null,
  trustedProject: null,
  foreign: new Set(),
  lastSessionAt: null,
  stayedBehind: null,
  held: false,
  told: { findings: 0, proposals: 0, handoffs: 0 },
  research: [],
  retiredLanes: new Set(),
  numbers: new Map(),
  dependents: new Map(),
  ready: new ReadyHeap(),
  working: new Set(),
  openInPhase: new Map(),
  untrusted: new Set(),
  unjudged: new Set(),
  counts: { pending: 0, completed: 0, failed: 0, blocked: 0, attempts: 0, checkpoints: 0 },
});
