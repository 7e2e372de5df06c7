// The demo's project, plan and agent, as data: a greeting tool in plain sh, built by eight tasks.
// Nothing else in the demo knows what happens in it.

/** One step of the scripted agent. */
type Step =
  | { readonly say: string }
  | { readonly write: string; readonly text: string }
  | { readonly checkpoint: string; readonly text: string }
  | { readonly wait: number }
  | { readonly crash: true };

export interface DemoTask {
  readonly title: string;
  readonly validate: string;
  readonly dependsOn: readonly string[];
  /** What the agent does, attempt by attempt. */
  readonly attempts: readonly (readonly Step[])[];
}

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;

/** What is there before the first task: tests that say what is wanted, and nothing that passes them. */
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

const inLanguage = (...check: readonly string[]): string =>
  lines(
    "# in LANGUAGE [NAME]: say hello in another language",
    'word=$(sed -n "s/^$1 //p" "$root/data/languages")',
    ...check,
    '[ $# -gt 1 ] || set -- "$1" World',
    'echo "$word, $2!"',
  );

export const demoTasks: readonly DemoTask[] = [
  {
    title: "Run the command that bin/greet is given",
    validate: "sh test/dispatch.sh",
    dependsOn: [],
    attempts: [
      [
        { say: "Every command becomes a file in lib/." },
        { wait: 400 },
        {
          write: "bin/greet",
          text: lines(
            "#!/bin/sh",
            'root=$(CDPATH="" cd -- "$(dirname -- "$0")/.." && pwd)',
            "[ $# -gt 0 ] || set -- help",
            "command=$1",
            "shift",
            'if [ ! -f "$root/lib/$command.sh" ]; then',
            '  echo "greet: unknown command: $command" >&2',
            "  exit 2",
            "fi",
            '. "$root/lib/$command.sh"',
          ),
        },
        { wait: 200 },
      ],
    ],
  },
  {
    title: "Say hello",
    validate: "sh test/hello.sh",
    dependsOn: ["task-001"],
    attempts: [
      [
        { say: "hello, with World when nobody is named." },
        { wait: 500 },
        {
          write: "lib/hello.sh",
          text: lines("# hello [NAME]: say hello", "[ $# -gt 0 ] || set -- World", 'echo "Hello, $1!"'),
        },
        { wait: 200 },
      ],
    ],
  },
  {
    title: "Collect greetings in four languages",
    validate: "sh test/languages.sh",
    dependsOn: [],
    attempts: [
      [
        { say: "One language a line." },
        { wait: 300 },
        { checkpoint: "1/2", text: "languages chosen" },
        { write: "data/languages", text: lines("de Hallo", "en Hello", "es Hola", "fr Bonjour") },
        { checkpoint: "2/2", text: "greetings written" },
        { wait: 200 },
      ],
    ],
  },
  {
    title: "Say hello loudly",
    validate: "sh test/shout.sh",
    dependsOn: ["task-002"],
    attempts: [
      [
        { wait: 400 },
        {
          write: "lib/shout.sh",
          text: lines(
            "# shout [NAME]: say hello loudly",
            "sh \"$root/bin/greet\" hello \"$@\" | tr '[:lower:]' '[:upper:]'",
          ),
        },
        { say: "hello, in capitals." },
        { wait: 200 },
      ],
    ],
  },
  {
    title: "Say hello in other languages",
    validate: "sh test/in.sh",
    dependsOn: ["task-001", "task-003"],
    attempts: [
      [
        { say: "Looking the word up in data/languages." },
        { wait: 400 },
        { write: "lib/in.sh", text: inLanguage() },
        { say: "Done." },
        { wait: 200 },
      ],
      [
        { say: "The last attempt let an unknown language through: refusing it now." },
        { wait: 400 },
        {
          write: "lib/in.sh",
          text: inLanguage('[ -n "$word" ] || { echo "greet: unknown language: $1" >&2; exit 2; }'),
        },
        { wait: 200 },
      ],
    ],
  },
  {
    title: "List the languages",
    validate: "sh test/list.sh",
    dependsOn: ["task-001", "task-003"],
    attempts: [
      [
        { wait: 400 },
        { write: "lib/list.sh", text: lines("# list: name the languages", 'cut -d" " -f1 "$root/data/languages"') },
        { say: "The first column is the list." },
        { wait: 200 },
      ],
    ],
  },
  {
    title: "Explain every command",
    validate: "sh test/help.sh",
    dependsOn: ["task-002", "task-004", "task-005", "task-006"],
    attempts: [
      [
        { say: "The first line of each file in lib/ is its help." },
        { wait: 400 },
        {
          write: "lib/help.sh",
          text: lines("# help: this text", 'for file in "$root"/lib/*.sh; do sed -n "1s/^# //p" "$file"; done'),
        },
        { wait: 200 },
        { crash: true },
      ],
    ],
  },
  {
    title: "Show in the README how it is used",
    validate: "sh test/readme.sh",
    dependsOn: ["task-007"],
    attempts: [
      [
        { wait: 400 },
        {
          write: "README.md",
          text: lines(
            "# greet",
            "",
            "A greeting tool in plain sh.",
            "",
            "    $ greet hello Ada",
            "    Hello, Ada!",
            "    $ greet in es",
            "    Hola, World!",
          ),
        },
        { say: "Every example was run." },
        { wait: 200 },
      ],
    ],
  },
];
