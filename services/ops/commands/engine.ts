/** Makes commands of rows: options become the fields of an RPC's request, and columns are what its answer has. */
import {
  create,
  ScalarType,
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
} from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/names.ts";
import { print, printList, type Format, type OutputRow } from "../session/print.ts";
import { inSession, RPCS, type Session } from "../session/session.ts";
import {
  placeholderOf,
  plain,
  readColumns,
  rowOf,
  valueOf,
  wholeNumber,
  type Fields,
} from "./convert.ts";
import { ABOUT, NONE, WORDS } from "./option-texts.ts";

/** The command is wrong, in a way that its options alone do not tell. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Options: `name`, or `name=field.of.request`; `!` after the name: required; `<name>=field`: an argument.
 * Columns: `name`, or `name=path|other path:default`, of the answer, else of the request; `field>` before them: of this
 * field of the answer, where a repeated one makes a row of each. In a path, `#` is how many there are and `-1` the last.
 */
export type Row = readonly [
  path: string,
  rpc: `${keyof Session}.${string}`,
  about: string,
  options: string,
  columns: string,
  more?: {
    /** How many things a list has where `--limit` does not say it. */
    limit?: number;
    /** Throws where the options do not go together. */
    check?: (given: Fields) => void;
    before?: (session: Session, request: Fields) => Promise<void> | void;
    /** Sees the rows; may throw, or set the exit code. */
    after?: (rows: readonly OutputRow[], request: Fields) => void;
  },
];

const PAGE = 100;

export function addRows(
  program: Command,
  rows: readonly Row[],
  nouns: Record<string, string>,
): void {
  for (const row of rows) {
    const [noun = "", verb] = row[0].split(" ");
    const known = program.commands.find((one) => one.name() === noun);
    const parent = known ?? program.command(noun).description(nouns[noun] ?? row[2]);
    const command = verb === undefined ? parent : parent.command(verb);
    addRow(verb === "delete" ? command.alias("remove") : command, row);
  }
}

function addRow(command: Command, row: Row): void {
  const [path, rpc, about, wanted, shownColumns, { limit, check, before, after } = {}] = row;
  const [client = "", name = ""] = rpc.split(".");
  const method = RPCS[client as keyof Session]?.[0].methods.find(
    ({ localName }) => localName === name,
  );
  if (!method) throw new Error(`there is no RPC ${rpc}`);
  const options = wanted
    .split(" ")
    .filter(Boolean)
    .map((text) => readOption(text, method.input));
  command.description(about);
  for (const { name, field, isRequired, isArgument } of options) {
    if (isArgument) command.argument(`<${name}>`, ABOUT[name] ?? "");
    else command.addOption(optionOf(name, field).makeOptionMandatory(isRequired));
  }
  if (path === "recharge") {
    const without = new Option("--no-reference", ABOUT["no-reference"]);
    // Commander would take it for a --reference that is false.
    without.negate = false;
    command.addOption(without);
  }
  if (limit !== undefined) command.option("--limit <n>", ABOUT["limit"] ?? "", wholeNumber, limit);
  const shown = readColumns(shownColumns);
  const { of, columns } = shown;
  const list = of !== undefined && fieldOf(method.output, of).fieldKind === "list";
  if (list) command.option("--csv", "print CSV");
  command.option("--json", "print JSON").action(async () => {
    const given: Fields = { ...command.opts() };
    for (const [at, one] of command.registeredArguments.entries())
      given[one.name()] = command.args[at];
    check?.(given);
    const request: Fields = {};
    const rows = await inSession(async (session) => {
      for (const option of options) {
        const value = given[new Option(`--${option.name}`).attributeName()];
        if (value !== undefined && value !== false) setAt(request, option.path, value);
      }
      await before?.(session, request);
      const rpcs = session[client as "billing"] as unknown as Record<string, Call>;
      return readRows(rpcs[name] as Call, method, shown, request, given["limit"] as number);
    });
    after?.(rows, request);
    const names = columns.map((text) => text.split(/[=:]/)[0] ?? "");
    const none = NONE[path] ?? `Nothing was found${inMode(request)}.`;
    if (list) printList(command.opts<Format>(), names, rows, none);
    else print(command.opts<Format>().json, rows[0] ?? {});
  });
}

/** " in live mode", where a request has a mode. */
export function inMode({ mode }: Fields): string {
  return mode === undefined ? "" : ` in ${modeName(mode as Mode)} mode`;
}

type Call = (asked: Message) => Promise<Message>;

/** Calls an RPC, page by page where it has pages. */
async function readRows(
  call: Call,
  method: DescMethod,
  { of, columns }: ReturnType<typeof readColumns>,
  request: Fields,
  limit = Infinity,
): Promise<OutputRow[]> {
  const isPaged = method.output.fields.some((field) => field.name === "has_more");
  const hasLimit = method.input.fields.some((field) => field.name === "limit");
  const found: OutputRow[] = [];
  for (;;) {
    const size = isPaged ? Math.min(PAGE, limit - found.length) : Math.min(limit, 1_000);
    const asked = create(method.input, { ...request, ...(hasLimit ? { limit: size } : {}) });
    const answer = plain(method.output, await call(asked));
    const roots = of === undefined ? [answer] : [answer[of]].flat();
    const asPlain = plain(method.input, asked);
    found.push(...roots.map((root) => rowOf(columns, root as Fields, asPlain)));
    if (!isPaged || answer["has_more"] !== true || found.length >= limit) return found;
    request["after"] = (roots.at(-1) as Fields)["id"];
  }
}

function readOption(text: string, input: DescMessage) {
  const [, argument, option = argument ?? "", isRequired, path = guess(option, input)] =
    /^(?:<(\w+)>|([\w-]+))(!)?(?:=(.+))?$/.exec(text) ?? [];
  let field: DescField | undefined;
  const names = path.split(".").map((name) => {
    const message: DescMessage = field?.message ?? input;
    field = fieldOf(message, name);
    return field.localName;
  });
  if (!field) throw new Error(`no field: ${text}`);
  return { name: option, path: names, field, isRequired: !!isRequired, isArgument: !!argument };
}

/** `--account` is `account_id`, `--day-tokens` is `day_tokens`. */
function guess(option: string, { fields }: DescMessage): string {
  const name = option.replaceAll("-", "_");
  return fields.some((field) => field.name === name) ? name : `${name}_id`;
}

function fieldOf({ fields, typeName }: DescMessage, name: string): DescField {
  const field = fields.find((one) => one.name === name);
  if (!field) throw new Error(`${typeName} has no field ${name}`);
  return field;
}

/** An option with the values of a field. */
export function optionOf(name: string, field: DescField): Option {
  const about = ABOUT[name] ?? field.name.replaceAll("_", " ");
  if (field.scalar === ScalarType.BOOL) return new Option(`--${name}`, about);
  const words = WORDS[name] ?? {};
  const parse = (text: string) => {
    const word = text.toLowerCase();
    return Object.hasOwn(words, word) ? (words[word] ?? false) : valueOf(field, text, words);
  };
  const option = new Option(`--${name} <${placeholderOf(field)}>`, about).argParser(parse);
  return name === "mode" ? option.default(parse("live"), "live") : option;
}

function setAt(fields: Fields, [name = "", ...rest]: string[], value: unknown): void {
  if (rest.length === 0) fields[name] = value;
  else setAt((fields[name] ??= {}) as Fields, rest, value);
}
