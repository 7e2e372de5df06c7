// What keeps the programs of an attempt in their place: as it is configured, recorded and agreed to do without.
import * as z from "zod";

export const SandboxMode = z.enum(["auto", "required", "off"]);
export type SandboxMode = z.infer<typeof SandboxMode>;

export const HomePath = z.strictObject({
  path: z
    .string()
    .max(1_000)
    .regex(/^[^/\0][^\0]*$/, "must be a path from the home directory, such as .config/my-agent")
    .refine((path) => !path.split("/").includes(".."), "must not lead out of the home directory"),
  access: z.enum(["read", "write"]).default("read"),
});
/** A path of the user's home that a program in a sandbox sees. */
export type HomePath = z.output<typeof HomePath>;

const described = {
  mode: SandboxMode.default("auto").describe("auto: where it can be had. required: or nothing runs. off: none."),
  network: z.enum(["on", "off"]).default("on").describe("Whether programs of attempts reach the network."),
  home: z.array(HomePath).max(100).default([]).describe("What they see of the home directory; the rest is hidden."),
};
/** As it is written: the mode alone, or all of it. */
export const SandboxConfig = z.union([SandboxMode, z.strictObject(described)]);

export interface SandboxWish {
  readonly mode: SandboxMode;
  readonly network: "on" | "off";
  readonly home: readonly HomePath[];
}

export function wishOf(written: z.output<typeof SandboxConfig> | undefined): SandboxWish {
  const { mode, ...rest } = typeof written === "object" ? written : { mode: written ?? "auto" };
  return { network: "on", home: [], ...rest, mode };
}

/** That the user knows that there is no sandbox on a machine, and for which reason. */
export const Consent = z.object({ machine: z.string(), reason: z.string(), at: z.number() });
export type Consent = z.infer<typeof Consent>;

export const ConsentFile = z.object({ v: z.literal(1), consents: z.array(Consent) });

/** The command line with which a program is started so that it reaches no more than it may. */
export type Confine = (argv: readonly string[], cwd: string) => Promise<Confined>;
export interface Confined {
  readonly argv: readonly [string, ...string[]];
  /** The process that is started only watches over the program, and takes it along when it ends. */
  readonly monitored: boolean;
}
