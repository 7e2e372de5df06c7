// The sandbox family: every built-in variant.
export { createBubblewrap, findBubblewrap } from "./bubblewrap/index.ts";
export { none } from "./none/index.ts";
