// State files as crashes, editors, other tools and attackers leave them, and what must become of each (rules F5, F7).

import type { MalformedPlace, MalformedText } from "./malformation.ts";
import { wrongContents } from "./malformed-contents.ts";
import { fileSystemKinds } from "./malformed-places.ts";
import { wrongTexts } from "./malformed-texts.ts";

export const malformedTexts: readonly MalformedText[] = [...wrongTexts(), ...wrongContents()];
export const malformedPlaces: readonly MalformedPlace[] = fileSystemKinds;
