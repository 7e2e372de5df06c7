import { describeNotifier } from "../notifier.contract.ts";
import { createSilentNotifier } from "./index.ts";

describeNotifier("silent", createSilentNotifier);
