// The part of the story that moves the user's own checkout: work on files that no attribute of the repository touches.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../../src/protocol/failure.ts";
import { createCloneWorkspaces } from "../../src/workspaces/index.ts";
import type { Scene } from "./operations.ts";

type Must = <T>(outcome: Outcome<T>) => T;

/** Brought in as it is, then as one commit. Answers why the checkout was left alone, if so: traps may be in the way. */
export async function tellAccepted({ checkout, home, must }: Scene & { readonly must: Must }): Promise<string | null> {
  const options = { repository: checkout, home: `${home}-plain`, branch: "harness/mission-plain", rootPrefix: "" };
  const workspaces = createCloneWorkspaces(options);
  const wish = { mission: "plain", tasks: null, branch: null, otherwise: "checked-out" } as const;
  for (const [place, squash] of [false, true].entries()) {
    const [task, file] = [`plain-${place}`, `note-${place}.md`];
    const opened = must(await workspaces.open({ slot: 0, task, attempt: 1, fence: place + 1 }));
    if (opened.merged) throw new Error(`${task} is merged already`);
    await writeFile(join(opened.path, file), "a note\n");
    const message = `${task}: work\n\nHarness-Task: ${task}\n`;
    const candidate = must(await workspaces.commit({ ...opened, message }));
    must(await workspaces.merge({ candidate, task, attempt: 1 }));
    must(await workspaces.close({ path: opened.path, task, attempt: 1, fence: place + 1 }));
    const accepted = await workspaces.accept({ ...wish, squash });
    if (!accepted.ok) return accepted.failure.message;
    if ((await readFile(join(checkout, file), "utf8")) !== "a note\n") throw new Error(`${file} did not come`);
  }
  return null;
}
