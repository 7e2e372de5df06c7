// The secrets of this user that we can know: from variables whose names say so, and from the files where tools keep them.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createRedactor, type Redactor } from "./redact.ts";
import { isSecretName, secretsOf } from "./secret-names.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** In the user's home: registries, hosts, clouds. Each is read if it is there and small. */
const credentialFiles = [
  ".npmrc",
  ".yarnrc.yml",
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".config/gh/hosts.yml",
  ".config/hub",
  ".pypirc",
  ".cargo/credentials.toml",
  ".aws/credentials",
  ".docker/config.json",
  ".claude/.credentials.json",
  ".codex/auth.json",
];
/** In the project: what its tools read, and where remotes may carry a password. */
const projectFiles = [
  ".env",
  ".env.local",
  ".env.development",
  ".env.test",
  ".env.production",
  ".npmrc",
  ".git/config",
];
const maxBytes = 262_144;

/** What this user's own surfaces must not show. */
export const userSecrets = (env: Environment): readonly string[] => [
  ...secretsOf(env),
  ...Object.values(env).flatMap((value) => passwordsInAddresses(value ?? "")),
  ...credentialFiles.flatMap((file) => secretsInFile(join(env.HOME ?? homedir(), file))),
];

/** What stands in a project's files; `shared`: paths that its set-up hands to every workspace. */
export const projectSecrets = (root: string, shared: readonly string[]): readonly string[] =>
  [...new Set([...projectFiles, ...shared])].flatMap((file) => secretsInFile(join(root, file)));

/**
 * For what is shown to this user. What a project's files call secret they could have chosen to make our own words
 * unreadable: from there only what looks like a key is taken.
 */
export function createUserRedactor(env: Environment, rootOf: () => string | null = () => null): Redactor {
  const values = (): readonly string[] => {
    const root = rootOf();
    return [...userSecrets(env), ...(root === null ? [] : projectSecrets(root, []).filter(looksLikeKey))];
  };
  return createRedactor({ values });
}

const looksLikeKey = (value: string): boolean => value.length >= 12 && /\d/.test(value) && /[A-Za-z]/.test(value);

function secretsInFile(path: string): readonly string[] {
  const text = readSmall(path);
  return text === null ? [] : secretsInText(text);
}

/** `NAME=value`, `name: value`, `"name": "value"`, `password value` and passwords in addresses. */
export function secretsInText(text: string): readonly string[] {
  const assigned = [...text.matchAll(/([\w.-]{1,100})["']?[ \t]*[=:][ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"',;]+))/g)];
  const named = assigned.flatMap(([, name = "", ...values]) =>
    isSecretName(name) ? values.filter((value) => value !== undefined) : [],
  );
  const said = [...text.matchAll(/\bpassword[ \t]+(\S+)/g)].map(([, value = ""]) => value);
  return [...named, ...said, ...passwordsInAddresses(text)];
}

const passwordsInAddresses = (text: string): readonly string[] =>
  [...text.matchAll(/:\/\/[^\s/?#:@"']*:([^\s/?#"'@]+)@/g)].flatMap(([, written = ""]) => [written, decoded(written)]);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an encoding: then it is what is written.
    return text;
  }
}

/** Null for what is no small file that we may read: then nothing is known of it. */
function readSmall(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes, 0, stats.size, 0)).toString("utf8");
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
