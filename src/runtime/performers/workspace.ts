// Performs the effects on workspaces. Each is idempotent by the port's contract, so repeating after a crash is safe.
import { commitMessage } from "../../core/commit-message.ts";
import type { Answer } from "../../protocol/effect.ts";
import { prepareSlot } from "../setup/prepare.ts";
import { catchUp, deliver } from "./integration.ts";
import { answered, type PerformingKind } from "./performing.ts";

export async function openWorkspace(performing: PerformingKind<"workspace.open">): Promise<Answer> {
  const { effect, ports } = performing;
  const { lane: slot, task, attempt, fence, resume } = effect;
  const caughtUp = await catchUp(performing);
  const opened = await ports.workspaces.open({ slot, task, attempt, fence, resume });
  if (!opened.ok) return { kind: "failed", failure: opened.failure };
  if (opened.value.merged) return { kind: "workspace.merged", commit: opened.value.commit };
  const { path, base } = opened.value;
  return answered(await prepareSlot(performing, path), () => ({ kind: "workspace.opened", path, base, caughtUp }));
}

export async function commitWorkspace({ effect, ports, state }: PerformingKind<"workspace.commit">): Promise<Answer> {
  const { path, base, kept } = effect;
  const message = commitMessage(state, effect, ports.redactor.redact);
  const committed = await ports.workspaces.commit({ path, base, message, kept });
  return answered(committed, (candidate) => ({ kind: "workspace.committed", candidate }));
}

/** A new directory, so it is set up as a new one is: what the head needs may differ from what the base did. */
export async function rebaseWorkspace(performing: PerformingKind<"workspace.rebase">): Promise<Answer> {
  const { effect, ports } = performing;
  const { path, base, task, attempt, fence } = effect;
  const rebased = await ports.workspaces.rebase({ path, base, task, attempt, fence });
  if (!rebased.ok) return { kind: "failed", failure: rebased.failure };
  return answered(await prepareSlot(performing, path), () => ({ kind: "workspace.rebased", ...rebased.value }));
}

export async function mergeWorkspace({ effect, ports, state }: PerformingKind<"workspace.merge">): Promise<Answer> {
  const { candidate, task, attempt, path, fence } = effect;
  const merged = await ports.workspaces.merge({ candidate, task, attempt });
  // Closing gives the slot back early; if it fails, the next open of the slot does the same work.
  const isIn = merged.ok && merged.value.merged;
  if (isIn) await ports.workspaces.close({ path, task, attempt, fence });
  const accepted = isIn ? await deliver(ports, state) : null;
  return answered(merged, (end) =>
    end.merged ? { kind: "workspace.merged", commit: end.commit, accepted } : { kind: "workspace.moved" },
  );
}

export async function archiveWorkspace({ effect, ports }: PerformingKind<"workspace.archive">): Promise<Answer> {
  const { path, task, attempt, fence } = effect;
  const archived = await ports.workspaces.archive({ path, task, attempt, fence });
  return answered(archived, ({ archive }) => ({ kind: "workspace.archived", archive }));
}
