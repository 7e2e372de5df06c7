// Nothing that is looked at can be changed, to the last map in it.
import type { ReadyHeap } from "./ready-heap.ts";

export type DeepReadonly<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, DeepReadonly<V>>
    : T extends ReadonlySet<infer V>
      ? ReadonlySet<V>
      : T extends ReadyHeap
        ? Pick<ReadyHeap, "size" | "has" | "peek">
        : T extends object
          ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
          : T;
