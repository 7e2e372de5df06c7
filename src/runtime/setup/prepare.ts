// Makes a slot's checkout ready before anybody works in it: shared files, then the project's own command – unless that
// was done before for the same inputs. A workspace and a proof are set up alike, so that one passes where the other did.
import { assertNever } from "../../kit/assert-never.ts";
import { oneLine } from "../../kit/escape.ts";
import { breachText } from "../../kit/resource-watch.ts";
import { type RunResult, runProcess } from "../../kit/run-process.ts";
import type { AttemptEffect } from "../../protocol/effect.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { type Performing, recorded } from "../performers/performing.ts";
import { redactedFailure } from "../performers/redacted.ts";
import { tellWithheld } from "../performers/withheld.ts";
import { contentOf, sharedPaths, shareInto } from "./shared-paths.ts";

type Env = Readonly<Record<string, string>>;

/** What every program of an attempt finds in its environment, with what set-up adds: variables and the lane's ports. */
export async function environmentOf({ effect, ports }: Performing<AttemptEffect>): Promise<Outcome<Env>> {
  const leased = await ports.lanePorts(effect);
  return leased.ok
    ? succeeded({ ...ports.environment(effect), ...ports.setup.env, ...leased.value })
    : failed(leased.failure);
}

/** `path` is what `open` or `proof` answered just now. */
export async function prepareSlot(performing: Performing<AttemptEffect>, path: string): Promise<Outcome<Env>> {
  const { ports, effect } = performing;
  const { setup } = ports;
  const env = await environmentOf(performing);
  if (!env.ok) return env;
  const shared = sharedPaths(setup);
  if (setup.command === null && shared.length === 0) {
    const cleared = await ports.workspaces.prepare({ path, fence: effect.fence, inputs: [], salt: "" }, null);
    return cleared.ok ? env : cleared;
  }
  const { root } = ports.project;
  const own = Object.entries(setup.env).concat(setup.ports.map((name) => [name, env.value[name] ?? ""]));
  const salt = JSON.stringify([setup.command, shared, await contentOf(root, shared), own.sort()]);
  const { inputs } = setup;
  const prepared = await ports.workspaces.prepare({ path, fence: effect.fence, inputs, salt }, async () => {
    const given = await shareInto(path, root, shared);
    return given.ok && setup.command !== null ? runSetup(performing, setup.command, { path, env: env.value }) : given;
  });
  return prepared.ok ? env : prepared;
}

async function runSetup(
  performing: Performing<AttemptEffect>,
  command: string,
  { path, env }: { readonly path: string; readonly env: Env },
): Promise<Outcome<null>> {
  const { ports, announce, signal } = performing;
  const result = await recorded(performing, "set-up", (given) =>
    runProcess({
      argv: ["/bin/sh", "-c", command],
      wrap: ports.confinement.commands,
      cwd: path,
      // A look with git must leave the workspace's index as we made it.
      env: { ...env, GIT_OPTIONAL_LOCKS: "0" },
      announce,
      signal,
      timeoutMs: ports.setup.timeoutSeconds * 1_000,
      filter: () => ports.redactor.stream(),
      keep: { headBytes: 4_000, tailBytes: 8_000 },
      ...given,
    }),
  );
  const what = complaint(result, ports.setup.timeoutSeconds);
  if (what === null) return succeeded(null);
  const failure: Failure = {
    kind: "env_setup",
    message: `the set-up ${what}: ${oneLine(ports.redactor.redact(command), 500)}`,
    remedy: "mend the cause, or change setup in .harness/config.json, then: harness run",
    ...(result.output === "" ? {} : { evidence: result.output }),
  };
  return failed(redactedFailure(tellWithheld(failure, performing), ports.redactor));
}

function complaint(result: RunResult, seconds: number): string | null {
  switch (result.end) {
    case "exited":
      return result.code === 0 ? null : `exited with ${result.code}`;
    case "signalled":
      return `was ended by ${result.signal}`;
    case "timeout":
      return `took longer than ${seconds} s`;
    case "exceeded":
      return breachText(result.breach);
    case "not_started":
      return `could not be started (${result.reason})`;
    case "aborted":
      return "was stopped";
    case "refused":
      return "was no longer ours to run";
    default:
      return assertNever(result);
  }
}
