// Which commands came with an adopted plan and still wait for somebody to say that they may run (rule T).
import type { ReadonlyState } from "./state.ts";

export function untrustedCommands(state: ReadonlyState): readonly string[] {
  const commands = new Set<string>();
  for (const id of state.untrusted) {
    const spec = state.tasks.get(id)?.spec;
    for (const command of [spec?.validation?.command, spec?.validation?.quick, spec?.cleanup]) {
      if (command !== undefined && command !== null) commands.add(command);
    }
  }
  return [...commands].sort();
}
