// The demo's project before the first task: tests that say what is wanted, and nothing that passes them.

export const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;

export const demoFiles: Readonly<Record<string, string>> = {
  "README.md": lines("# greet", "", "A greeting tool in plain sh. Nothing works yet: test/ says what is wanted."),
  "test/dispatch.sh": lines(
    "message=$(sh bin/greet nonsense 2>&1)",
    'test $? -eq 2 && test "$message" = "greet: unknown command: nonsense"',
  ),
  "test/hello.sh": lines(
    'test "$(sh bin/greet hello)" = "Hello, World!" &&',
    '  test "$(sh bin/greet hello Ada)" = "Hello, Ada!"',
  ),
  "test/languages.sh": lines(
    "test \"$(grep -c '^[a-z][a-z] [A-Z][a-z]*$' data/languages)\" -eq 4 &&",
    '  test -z "$(cut -d" " -f1 data/languages | sort | uniq -d)"',
  ),
  "test/shout.sh": lines('test "$(sh bin/greet shout Ada)" = "HELLO, ADA!"'),
  "test/in.sh": lines(
    'test "$(sh bin/greet in fr Ada)" = "Bonjour, Ada!" || exit 1',
    'if sh bin/greet in xx; then echo "an unknown language was not refused" >&2; exit 1; fi',
  ),
  "test/list.sh": lines('test "$(sh bin/greet list | sort | tr "\\n" " ")" = "de en es fr "'),
  "test/help.sh": lines(
    "for command in hello help in list shout; do",
    '  sh bin/greet help | grep -q "^$command[: ]" || { echo "help does not name $command" >&2; exit 1; }',
    "done",
  ),
  "test/readme.sh": lines(
    "# Runs every example of the README, which must show exactly what comes out.",
    "examples=$(sed -n 's/^    \\$ greet //p' README.md)",
    'test -n "$examples" || exit 1',
    'shown=$(echo "$examples" | while read -r arguments; do',
    '  echo "    \\$ greet $arguments"',
    "  sh bin/greet $arguments | sed 's/^/    /'",
    "done)",
    'test "$shown" = "$(grep \'^    \' README.md)"',
  ),
};
