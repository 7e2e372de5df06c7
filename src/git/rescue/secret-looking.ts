// Which files look as if they hold secrets. They go into the vault: nothing of a repository is ever as private.
import { createSecretMatcher } from "../../kit/secret-matcher.ts";
import { commonSecretPatterns } from "../../kit/secret-patterns.ts";

const names = [
  /^\.env(\..*)?$/,
  /^\.(netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/,
  /^(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt|env))?$/,
  /^service[-_]account.*\.json$/,
  /\.tfstate(\.backup)?$/,
];

export const hasSecretName = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return names.some((pattern) => pattern.test(name));
};

const matcher = createSecretMatcher([], commonSecretPatterns);
/** Longer files are rarely written by hand, and looking through them costs more than the rescue. */
const longest = 256 * 1024;

export const hasSecretText = (content: Buffer): boolean =>
  content.length <= longest && !content.includes(0) && matcher.look(content.toString("latin1"), 0).find(0) !== null;
