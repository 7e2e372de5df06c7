// Which names say that what they name is secret.

const secretName =
  /^(?:KEYS?|PASS|PAT|AUTH|COOKIE|DSN|SECRETS|CREDENTIALS?|PASSPHRASE)$|(?:TOKEN|SECRET|PASSWORD|PASSWD)$|(?:API|ACCESS|PRIVATE|SECRET)KEY$/i;
/** Ends of names that say where a secret is, or something about it. */
const harmlessEnd = /(?:^|_)(?:FILE|PATH|DIR|SOCK|HOST|USER|NAME|ID|TYPE)$/i;

export const isSecretName = (name: string): boolean =>
  !harmlessEnd.test(name) && name.split(/[_.-]/).some((part) => secretName.test(part));

/** The values of variables whose name says that they are secret. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []));
}
