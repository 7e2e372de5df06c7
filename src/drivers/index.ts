// The driver family: every built-in variant.
import { claudeCode } from "./claude-code/index.ts";
import { command } from "./command/index.ts";
import type { DriverVariant } from "./driver.ts";
import { scripted } from "./scripted/index.ts";

export const builtInDrivers: readonly DriverVariant[] = [claudeCode, command, scripted];
