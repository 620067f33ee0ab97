/** Between texts of the command line and fields of protos: values of options, and cells of rows. */
import { ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import { publicTime } from "#vocabulary/public-values.ts";
import type { OutputRow } from "../session/print.ts";
import { LEAST } from "./option-texts.ts";

export type Fields = Record<string, unknown>;

export const placeholderOf = ({ name, fieldKind, scalar, message }: DescField): string => {
  if (name.endsWith("_id")) return "id";
  if (fieldKind === "list") return "list";
  if (message) return "time";
  if (fieldKind === "scalar" && scalar !== ScalarType.STRING) return "n";
  return name.split("_").at(-1) ?? "";
};

/** Words are taken in any case, as the public API takes them. */
export function valueOf(field: DescField, given: string, words: Fields): unknown {
  const text = ["access", "kinds"].includes(field.name) ? given.toLowerCase() : given;
  if (field.fieldKind === "list") return partsOf(text);
  if (field.fieldKind === "enum") {
    const [, ...known] = field.enum.values;
    const names = known.map(({ localName }) => localName.toLowerCase());
    const found = known[names.indexOf(text.toLowerCase())];
    if (found) return found.number;
    throw new InvalidArgumentError(
      `It must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}.`,
    );
  }
  // What begins at a time begins later: "24h" would be read as the wrong side of now.
  const readTime = field.name === "from" ? exactTime : timeOf;
  if (field.message) return timestampFromDate(readTime(text));
  if (field.scalar === ScalarType.STRING) return text;
  const number = Number(text);
  const { [field.name]: least = -Infinity } = LEAST;
  if (!/^-?\d{1,16}$/.test(text) || number < least) {
    const from = field.name in LEAST ? `, ${least} or more` : "";
    const named = Object.keys(words).map((word) => `, or "${word}"`);
    const form = /^-?\d{17,}$/.test(text) ? "have at most 16 digits" : "be a whole number";
    throw new InvalidArgumentError(`It must ${form}${from}${named.join("")}.`);
  }
  return field.scalar === ScalarType.INT64 ? BigInt(text) : number;
}

export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}

function partsOf(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.every((part) => part !== "")) return [...new Set(parts)];
  throw new InvalidArgumentError("It must be like a,b without an empty part.");
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** "30m", "24h" and "7d" are that long ago. */
export function timeOf(text: string): Date {
  const [, amount, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (amount) return new Date(Date.now() - Number(amount) * (UNIT_MS[unit] ?? 0));
  return exactTime(text, ", or 24h or 7d for that long ago");
}

function exactTime(text: string, otherwise = ""): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(time.getTime()))
    return time;
  throw new InvalidArgumentError(`It must be like 2026-11-21T12:00:00Z${otherwise}.`);
}

/** The message with the protos' names: numbers, names of enum values, and times as texts. */
export function plain(schema: DescMessage, message: Message): Fields {
  const values = message as unknown as Fields;
  return Object.fromEntries(
    schema.fields.map((field) => [field.name, plainField(field, values[field.localName])]),
  );
}

function plainField(field: DescField, value: unknown): unknown {
  if (value === undefined) return null;
  if (field.fieldKind === "list") {
    const { message } = field;
    return (value as unknown[]).map((one) => (message ? plain(message, one as Message) : one));
  }
  if (field.fieldKind === "enum") {
    const found = value === 0 ? undefined : field.enum.value[value as number];
    return found?.localName.toLowerCase() ?? null;
  }
  if (field.message?.typeName === "google.protobuf.Timestamp")
    return publicTime(value as Timestamp);
  if (field.message) return plain(field.message, value as Message);
  return typeof value === "bigint" ? Number(value) : value;
}

export function readColumns(text: string): { of: string | undefined; columns: string[] } {
  const [, of, columns = ""] = /^(?:(\w+)>)?(.*)$/s.exec(text) ?? [];
  return { of, columns: columns.split(" ") };
}

export function rowOf(columns: readonly string[], root: Fields, request: Fields): OutputRow {
  const cells = columns.map((text) => {
    const [, name = "", paths = name, otherwise] =
      /^(\w+)(?:=([^:]+))?(?::(.+))?$/.exec(text) ?? [];
    const found = paths.split("|").map((path) => {
      const own = at(root, path);
      return own === undefined ? at(request, path) : own;
    });
    const value = found.find((one) => one !== null && one !== undefined && one !== "");
    return [name, value ?? otherwise ?? (found.includes("") ? "" : null)] as const;
  });
  return Object.fromEntries(cells);
}

/** `attempts.#` is how many there are, `attempts.-1.error` what the last has. */
function at(from: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return name === "#" ? value.length : value.at(Number(name));
    return (value as Fields | null | undefined)?.[name];
  }, from);
}
