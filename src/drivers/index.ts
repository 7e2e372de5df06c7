// The driver family: every built-in variant.
import { command } from "./command/index.ts";
import type { DriverVariant } from "./driver.ts";
import { scripted } from "./scripted/index.ts";

export const builtInDrivers: readonly DriverVariant[] = [command, scripted];
