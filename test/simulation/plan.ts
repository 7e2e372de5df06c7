// Plans as a seed makes them: limits, tasks, circles – and how one comes into the journal.
import type { AdoptedPlan, AdoptedTask } from "../../src/protocol/adopted.ts";
import type { BudgetWish } from "../../src/protocol/budget.ts";
import { Limits, Priority, TaskSpec } from "../../src/protocol/task.ts";
import { promise } from "./fake-agent.ts";
import { validation } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Plan, World } from "./world.ts";

export function randomPlan(random: Random): Plan {
  const small = random.chance(0.3);
  const limits = Limits.parse({
    maxSessions: small ? random.between(1, 6) : 200,
    maxTasksPerSession: random.pick([1, 2, 3, 20]),
    maxIterations: random.between(1, 6),
    maxFreeInterruptions: random.between(0, 2),
  });
  // Nothing is drawn for it.
  if (small && limits.maxTasksPerSession === 20) limits.maxRounds = limits.maxIterations;
  const mood = random.pick([
    "usual",
    "usual",
    "usual",
    "undoing",
    "undoing",
    "slow",
    "slow",
    "crowded",
    "crowded",
    "limited",
    "circling",
  ] as const);
  const circling = mood === "circling";
  // Where tasks are to get in each other's way, many are under way at once.
  const crowded = mood === "crowded";
  const adopted = random.chance(0.3);
  const names = Array.from({ length: random.between(1, 7) }, (_, index) => `task-${index + 1}`);
  const tasks = names.map((id, index) => ({
    id,
    // Only an adopted plan can have circles.
    dependsOn: names
      .slice(0, adopted ? names.length : index)
      .filter(() => random.chance(crowded ? 0.03 : adopted ? 0.15 : 0.3)),
    priority: random.pick(Priority.options),
    maxAttempts: random.between(1, 3),
    validation: { ...validation, quick: random.chance(0.3) ? "true" : null },
    cleanup: random.chance(0.3) ? "true" : null,
    kind: random.pick(["task", "task", "feature"] as const),
    outputs: random.chance(0.3) ? ["report.md"] : undefined,
    loop: randomLoop(random, circling),
  }));
  // Nothing is drawn for it: some loops have only their agent's word.
  const planned = tasks.map((task) =>
    task.loop !== undefined && !adopted && task.maxAttempts === 1 ? { ...task, validation: null } : task,
  );
  // Nor for this: where agents take their time, phases of the plan begin one after the other, as most of them would anyway.
  const barrier = mood === "slow" ? ["first", "second"] : null;
  const inPhases = planned.map((task, index) => ({
    ...task,
    ...(barrier !== null && { phase: index === 2 ? null : index < 2 ? "first" : "second" }),
  }));
  const concurrency = random.pick(["exclusive", "concurrent"] as const);
  const integration = random.pick(["branch", "current"] as const);
  const lanes = random.between(crowded ? 2 : 1, 3);
  const initScript = random.chance(0.3);
  const quiet = random.chance(0.6);
  const budget = random.chance(0.4) ? randomBudget(random) : undefined;
  return {
    mood,
    integration,
    limits,
    lanes,
    initScript,
    adopted,
    tasks: inPhases,
    barrier,
    concurrency,
    quiet,
    budget,
  };
}

/** Agents cost up to ten dollars and use some hundred tokens; a run takes minutes. */
function randomBudget(random: Random): BudgetWish {
  const [money, words, time] = [random.chance(0.8), random.chance(0.3), random.chance(0.3)];
  return {
    from: random.pick(["flags", "config"] as const),
    anew: false,
    nanoUsd: money ? random.between(1, 60) * 1e9 : null,
    tokens: words ? random.between(1, 10) * 2_000 : null,
    ms: time ? random.between(1, 20) * 60_000 : null,
    perIteration: { nanoUsd: random.between(1, 12) * 1e9, tokens: random.between(1, 10) * 500 },
    ask: random.chance(0.4),
  };
}

function randomLoop(random: Random, circling: boolean): Plan["tasks"][number]["loop"] {
  if (random.chance(circling ? 0.3 : 0.7)) return undefined;
  if (circling || random.chance(0.5)) return { promise, maxIterations: random.between(1, 6) };
  const phases = [
    { name: "plan", prefix: "Plan it.", gate: { outputs: ["plan.md"] } },
    { name: "build", prefix: "Build it.", gate: { command: "true" } },
    { name: "verify", prefix: "Look at it.", gate: { outputs: ["seen.md"], command: "true" } },
  ].slice(0, random.between(1, 3));
  return { promise, maxIterations: random.between(2, 9), phases };
}

export async function found(world: World): Promise<void> {
  const visitor = await world.visitor();
  if (world.plan.adopted) {
    await visitor.submit({ type: "plan.adopt", source: "file", plan: adoptedPlan(world), ...mission(world) });
    return world.observer.watch();
  }
  const later = world.random.chance(0.5);
  await visitor.submit({ type: "mission.create", ...mission(world), ...(later ? { concurrency: "exclusive" } : {}) });
  if (later) {
    await visitor.submit({ type: "mission.configure", concurrency: world.plan.concurrency });
    await visitor.submit({ type: "mission.place", workspace: "worktree", branch: "harness/m" });
  }
  for (const task of world.plan.tasks) await visitor.submit({ type: "task.add", task: { ...task, title: task.id } });
  world.observer.watch();
}

const mission = ({ plan: { limits, concurrency } }: World) => ({
  mission: "m",
  branch: "harness/m",
  root: "/p",
  limits,
  concurrency,
});

function adoptedPlan({ plan, random }: World): AdoptedPlan {
  const { maxSessions, maxTasksPerSession } = plan.limits;
  const tasks = plan.tasks.map((task): AdoptedTask => {
    const status = random.pick(["pending", "pending", "pending", "failed", "in_progress"] as const);
    return {
      spec: TaskSpec.parse({ ...task, title: task.id }),
      status,
      attempts: status === "failed" ? random.between(1, task.maxAttempts) : 0,
      interruptions: 0,
      errorLog: [],
      checkpoints: [],
      startedAtCommit: null,
      completedAt: null,
      failedAt: null,
    };
  });
  const rest = {
    createdAt: null,
    concurrencyMode: plan.concurrency,
    sessions: 0,
    lastSessionAt: null,
    extra: {},
    warnings: [],
  } as const;
  return { ...rest, maxSessions, maxTasksPerSession, tasks };
}
