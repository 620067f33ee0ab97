/** Writes the scripts by which shells complete commands, options and their values. */
import type { Command, Option } from "commander";
import type { Shell } from "./commands.ts";

export function completionScript(program: Command, shell: Shell): string {
  if (shell === "fish") return fishScript(program);
  const script = bashScript(program);
  return shell === "bash" ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

/** Files complete where no word does. */
function bashScript(program: Command): string {
  const names = [...program.commands.map((command) => command.name()), "help"];
  const values = valuesOf(program).map(
    ([flag, choices]) => `    ${flag}) words="${choices.join(" ")}" ;;`,
  );
  const cases = program.commands.map((command) => {
    const flags = optionsOf(program, command).map(({ long }) => long);
    return `      ${command.name()}) words="${[...argumentsOf(command), ...flags].join(" ")}" ;;`;
  });
  const name = program.name();
  return `_${name.replaceAll("-", "_")}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
    *) case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
      esac ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${names.join(" ")}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name.replaceAll("-", "_")} ${name}
`;
}

function fishScript(program: Command): string {
  const name = program.name();
  const lines = program.commands.flatMap((command) => {
    const inside = `-n "__fish_seen_subcommand_from ${command.name()}"`;
    const words = argumentsOf(command);
    return [
      `complete -c ${name} -n __fish_use_subcommand -f -a ${command.name()} -d ${quoted(command.description())}`,
      ...(words.length > 0 ? [`complete -c ${name} ${inside} -f -a "${words.join(" ")}"`] : []),
      ...optionsOf(program, command).map(({ long, description, required, argChoices }) => {
        const takes = required ? " -r" : "";
        const choices = argChoices ? ` -f -a "${argChoices.join(" ")}"` : "";
        return `complete -c ${name} ${inside} -l ${long?.slice(2)}${takes}${choices} -d ${quoted(description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function optionsOf(program: Command, command: Command): Option[] {
  return [...command.options, ...program.options].filter(({ long }) => long !== "--version");
}

/** The words that a command's argument can be. */
function argumentsOf(command: Command): readonly string[] {
  return command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
}

/** The options with a closed set of values. */
function valuesOf(program: Command): [string, readonly string[]][] {
  return program.commands
    .flatMap(({ options }) => options)
    .flatMap(({ long, argChoices }): [string, readonly string[]][] =>
      long && argChoices ? [[long, argChoices]] : [],
    );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`;
}
