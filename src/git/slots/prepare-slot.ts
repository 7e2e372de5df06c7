// Set-up of a lane's checkouts. Of a workspace it is done by whoever holds its fence; a proof has no other owner.
import { join } from "node:path";
import type { Make, PrepareRequest } from "../../workspaces/workspace.ts";
import { forgetMade } from "../made.ts";
import { type Preparing, prepareCheckout } from "../prepare.ts";
import { proofAt } from "../proof.ts";
import { type Site, withScratch } from "../site.ts";
import { groundOf } from "./ground.ts";
import { whileAway } from "./linked-move.ts";
import { fenced, moveFenced, slotAt, writeFenced } from "./slot.ts";

export async function prepareSlot(
  site: Site,
  request: PrepareRequest,
  make: Make | null,
): Promise<{ readonly made: boolean }> {
  return prepareCheckout(site, proofAt(site, request.path) ?? (await workspaceAt(site, request)), request, make);
}

async function workspaceAt(site: Site, { path, fence }: PrepareRequest): Promise<Preparing> {
  const slot = slotAt(site, path);
  const { tie, theirIndex } = await groundOf(site, slot, "");
  return {
    checkout: slot.work,
    index: theirIndex,
    // Whoever was replaced and wakes up must not clean where another's agent works by now.
    outOfSight: (act) =>
      withScratch(site, [], async ({ directory }) => {
        const aside = join(directory, "work");
        await whileAway(site, tie, async () => {
          await moveFenced(site, slot, fence, { from: slot.work, to: aside });
          await act(aside);
          await moveFenced(site, slot, fence, { from: aside, to: slot.work });
        });
      }),
    write: (file, text) => writeFenced(site, slot, fence, file, text),
    forget: () => fenced(site, slot, fence, () => forgetMade(slot.work)),
  };
}
