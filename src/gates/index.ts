// The gate family: every built-in variant.
import { artifacts } from "./artifacts/index.ts";
import { command } from "./command/index.ts";
import type { GateVariant } from "./gate.ts";
import { scripted } from "./scripted/index.ts";

export const builtInGates: readonly GateVariant[] = [artifacts, command, scripted];
