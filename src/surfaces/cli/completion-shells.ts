// Completion scripts of three shells, from one description of the command line.

export interface FlagWords {
  /** `--priority`, `-n`. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  /** The only values it takes; none: any. */
  readonly choices: readonly string[];
}
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagWords[];
  /** What may stand as its argument; none: a file or anything else. */
  readonly choices: readonly string[];
}
export interface Words {
  readonly flags: readonly FlagWords[];
  readonly commands: readonly CommandWords[];
}

/** Single quotes hold everything but themselves, in each of these shells. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const namesOf = (flags: readonly FlagWords[]): readonly string[] => flags.flatMap(({ names }) => names);

export function bashScript({ flags, commands }: Words): string {
  const values = [{ name: "", flags }, ...commands].flatMap(({ name, flags: own }) =>
    own
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) => {
        const patterns = names.map((flag) => quote(`${name} ${flag}`)).join("|");
        return `    ${patterns}) words=${quote(choices.join(" "))} ;;`;
      }),
  );
  return `# harness completion for bash. In ~/.bashrc: source <(harness completion bash)
_harness() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${commands.map(({ name }) => name).join("|")}) command=$word; break ;;
    esac
  done
  case "$command $previous" in
${values.join("\n")}
    *) case $command in
      '') words=${quote([...commands.map(({ name }) => name), ...namesOf(flags)].join(" "))} ;;
${commands.map(({ name, flags: own, choices }) => `      ${name}) words=${quote([...choices, ...namesOf(own)].join(" "))} ;;`).join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _harness harness
`;
}

export function zshScript({ flags, commands }: Words): string {
  const text = (summary: string) => summary.replaceAll(/[\\:[\]]/g, "\\$&");
  const spec = ({ names, summary, takesValue, choices }: FlagWords): readonly string[] =>
    names.map((name) => {
      const value = takesValue ? `:value:${choices.length === 0 ? "_files" : `(${choices.join(" ")})`}` : "";
      return quote(`${name}[${text(summary)}]${value}`);
    });
  const cases = commands.map(({ name, flags: own, choices }) => {
    const rest = quote(choices.length === 0 ? "*:argument:_files" : `*:argument:(${choices.join(" ")})`);
    return `      ${name}) _arguments ${[...own.flatMap(spec), rest].join(" ")} ;;`;
  });
  return `#compdef harness
# harness completion for zsh. In ~/.zshrc, after compinit: source <(harness completion zsh)
_harness() {
  local state line
  local -a commands
  _arguments -C ${flags.flatMap(spec).join(" ")} '1:command:->command' '*::argument:->arguments'
  case $state in
    command)
      commands=(${commands.map(({ name, summary }) => quote(`${name}:${text(summary)}`)).join(" ")})
      _describe command commands ;;
    arguments) case $line[1] in
${cases.join("\n")}
    esac ;;
  esac
}
if [ "$funcstack[1]" = _harness ]; then _harness "$@"; else compdef _harness harness; fi
`;
}

export function fishScript({ flags, commands }: Words): string {
  const flag = ({ names, summary, takesValue, choices }: FlagWords): string => {
    const forms = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
    const value = takesValue ? (choices.length === 0 ? " -r" : ` -x -a ${fishQuote(choices.join(" "))}`) : "";
    return `${forms.join(" ")}${value} -d ${fishQuote(summary)}`;
  };
  return [
    "# harness completion for fish. harness completion fish > ~/.config/fish/completions/harness.fish",
    fishFunction(flags),
    ...flags.map((one) => `complete -c harness ${flag(one)}`),
    ...commands.flatMap(({ name, summary, flags: own, choices }) => [
      `complete -c harness -n __harness_command_is -f -a ${name} -d ${fishQuote(summary)}`,
      ...own.map((one) => `complete -c harness -n '__harness_command_is ${name}' ${flag(one)}`),
      ...(choices.length === 0
        ? []
        : [`complete -c harness -n '__harness_command_is ${name}' -f -a ${fishQuote(choices.join(" "))}`]),
    ]),
    "",
  ].join("\n");
}

/** The command is the first word that is neither a flag nor a flag's value. Without an argument: none is there yet. */
function fishFunction(flags: readonly FlagWords[]): string {
  const withValue = namesOf(flags.filter(({ takesValue }) => takesValue));
  return `function __harness_command_is
  set -l words (commandline -opc)
  set -e words[1]
  set -l is_value false
  for word in $words
    if $is_value
      set is_value false
    else if contains -- $word ${withValue.map(fishQuote).join(" ")}
      set is_value true
    else if not string match -q -- '-*' $word
      test "$word" = "$argv[1]"
      return
    end
  end
  test -z "$argv[1]"
end`;
}

const fishQuote = (text: string): string => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
