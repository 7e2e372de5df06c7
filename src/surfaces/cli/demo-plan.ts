// The demo's plan and agent, as data: eight tasks that build a greeting tool in plain sh.
// Nothing else in the demo knows what happens in it.
import { lines } from "./demo-files.ts";

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
