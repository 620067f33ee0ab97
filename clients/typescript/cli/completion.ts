/** Writes the scripts by which shells complete commands, options and their values. */
import type { Command, Option } from "commander";
import { KNOWN_MODELS } from "../http/known-models.ts";
import type { Shell } from "./commands.ts";

export function completionScript(program: Command, shell: Shell): string {
  if (shell === "fish") return fishScript(program);
  const script = bashScript(program);
  return shell === "bash"
    ? script
    : `autoload -U +X compinit bashcompinit && compinit && bashcompinit\n${script}`;
}

/** Files complete where no word does: as values of an option without known ones, and as the argument that is a file. */
function bashScript(program: Command): string {
  const names = program.commands.map((command) => command.name());
  const values = valuesOf(program).map(
    ([options, choices]) => `    ${options}) words="${choices.join(" ")}" ;;`,
  );
  const cases = program.commands.map((command) => {
    const flags = optionsOf(program, command).map(({ long }) => long);
    const isFile = command.registeredArguments.some((argument) => argument.name() === "file");
    const condition = isFile ? `[[ "$current" == -* ]] && ` : "";
    return `      ${command.name()}) ${condition}words="${[...argumentsOf(command), ...flags].join(" ")}" ;;`;
  });
  const name = program.name();
  return `_${name.replaceAll("-", "_")}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
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
      ...optionsOf(program, command).map((option) => {
        const { long, description, required } = option;
        const takes = required ? " -r" : "";
        const words = choicesOf(command, option);
        const choices = words.length > 0 ? ` -f -a "${words.join(" ")}"` : "";
        return `complete -c ${name} ${inside} -l ${long?.slice(2)}${takes}${choices} -d ${quoted(description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function optionsOf(program: Command, command: Command): Option[] {
  const all = [...command.options, ...program.options];
  return all.filter(({ long, hidden }) => long !== "--version" && !hidden);
}

/** The words that a command's argument can be. */
function argumentsOf(command: Command): readonly string[] {
  if (command.name() === "models") return modelsFor(command);
  if (command.name() === "help") return (command.parent?.commands ?? []).map((each) => each.name());
  return command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
}

/** The values of an option, as far as they are known; there may be other models, which take others. */
function choicesOf(command: Command, option: Option): readonly string[] {
  if (option.long === "--model") return modelsFor(command);
  if (option.argChoices) return option.argChoices;
  const field = option.name().replaceAll("-", "_");
  const ofKind = KNOWN_MODELS.filter(({ kind }) => kind === command.name());
  return [...new Set(ofKind.flatMap(({ values }) => values[field] ?? []))];
}

/** The models that the command takes: of one kind where it makes that. */
function modelsFor(command: Command): readonly string[] {
  const ofKind = KNOWN_MODELS.filter(({ kind }) => kind === command.name());
  return (ofKind.length > 0 ? ofKind : KNOWN_MODELS).map(({ id }) => id);
}

/** The options that take a value, as patterns that begin with the name of their command, and the values that are known. */
function valuesOf(program: Command): [string, readonly string[]][] {
  return program.commands.flatMap((command) =>
    optionsOf(program, command)
      .filter(({ required }) => required)
      .map((option): [string, readonly string[]] => [
        [option.long, option.short]
          .filter((flag) => flag !== undefined)
          .map((flag) => `"${command.name()} ${flag}"`)
          .join("|"),
        choicesOf(command, option),
      ]),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`;
}
