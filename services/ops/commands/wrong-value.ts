/** Says which option or argument of a command has a value that a service refuses. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { UsageError } from "./engine.ts";

export function wrongValueError(error: unknown, command: Command): UsageError | undefined {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return undefined;
  const lines = faultsOf(error).map(({ field, message }) => {
    const said = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
    const named = placeOf(field, command);
    return `${named === "" ? "" : `${named}: `}${said}`;
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
