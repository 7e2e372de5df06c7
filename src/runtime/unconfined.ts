// For worlds in which nothing real is started: nothing keeps anybody in, and nothing is recorded of it.
import type { Confinement } from "./ports.ts";

export const unconfined: Confinement = {
  name: null,
  commands: undefined,
  agent: async () => ({ confine: undefined, env: {}, tools: null, letters: null, close: async () => undefined }),
};
