/** Says which option or argument of a command has a value that a service refuses. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { UsageError } from "./engine.ts";

/** The part of a proto's pattern that tells an id's prefix: `acct`, or `[vi]gen` where there are two. */
const ID_PATTERN = /\^\(?(?:\[(\w+)\])?(\w+)_\[0-9a-hjkmnp-tv-z\]\{(\d+)\}/;

export function wrongValueError(error: unknown, command: Command): UsageError | undefined {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return undefined;
  const lines = faultsOf(error).map(({ field, message }) => {
    const said = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
    const named = placeOf(field, command);
    return `${named === "" ? "" : `${named}: `}${idRule(field, said) ?? said}`;
  });
  return new UsageError(lines.length > 0 ? lines.join("\n") : error.rawMessage);
}

/** `account_id` is given by `--account`, and the id of an argument by `<id>`; else the field's own name. */
function placeOf(field: string, command: Command): string {
  const parts = field.split(/[.[]/);
  const [name = field] = parts;
  const names = parts
    .flatMap((part) => [part, part.replace(/_id$/, "")])
    .map((one) => `--${one.replaceAll("_", "-")}`);
  const option = command.options.find(({ long }) => long && names.includes(long));
  if (option?.long) return option.long;
  const [argument] = name.endsWith("_id") ? command.registeredArguments : [];
  return argument ? `<${argument.name()}>` : field;
}

/** The rule of an id in words, from the pattern in the message; undefined where the message has none. */
function idRule(field: string, message: string): string | undefined {
  const [, letters, name, characters] = ID_PATTERN.exec(message) ?? [];
  if (name === undefined) return undefined;
  const prefixes = (letters ? Array.from(letters) : [""]).map((letter) => `${letter}${name}_`);
  const noun = field.replace(/_id$/, "").replaceAll("_", " ");
  const article = /^[aeiou]/.test(noun) ? "an" : "a";
  return `${article} ${noun} id is ${prefixes.join(" or ")} and ${characters} characters`;
}
