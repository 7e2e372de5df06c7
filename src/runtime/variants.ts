// A variant of a family by its name. Options stay opaque up to here: the variant's own schema judges them.
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";

/** A variant and options only it understands. */
export interface Choice {
  readonly use: string;
  readonly options: Record<string, unknown>;
}

interface Variant<T> {
  readonly name: string;
  readonly options: {
    safeParse(options: unknown): {
      success: boolean;
      data?: unknown;
      error?: { issues: readonly { path: PropertyKey[]; message: string }[] };
    };
  };
  create(options: never): T;
}

export function buildVariant<T>(family: string, variants: readonly Variant<T>[], { use, options }: Choice): Outcome<T> {
  const variant = variants.find(({ name }) => name === use);
  if (variant === undefined) {
    const names = variants.map(({ name }) => name).join(", ");
    return failed({ kind: "config", message: `there is no ${family} "${use}"`, remedy: `choose one of: ${names}` });
  }
  const parsed = variant.options.safeParse(options);
  if (parsed.success) return succeeded(variant.create(parsed.data as never));
  const issue = parsed.error?.issues[0];
  return failed({
    kind: "config",
    message: `${family} "${use}", option "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "not valid"}`,
  });
}
