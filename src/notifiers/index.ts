// The notifier family: every built-in variant.
export { createConsoleNotifier } from "./console/index.ts";
export { createSilentNotifier } from "./silent/index.ts";
