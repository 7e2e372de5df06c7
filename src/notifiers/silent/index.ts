// The double of the notifier family: tells nobody and keeps nothing.
import type { Notifier } from "../notifier.ts";

export const createSilentNotifier = (): Notifier => ({ send: async () => undefined });
