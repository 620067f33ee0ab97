/** Rules that apply to every text and time field, so proto annotations would have to repeat them. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";

/** A field whose value cannot be stored, and why. */
export type Unstorable = { field: string; message: string };

const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;
const MAX_NANOS = 999_999_999;
/** Postgres would round later times up to the year 10000. */
const MAX_LAST_NANOS = 999_000_000;

const TEXT_RULE = "must be Unicode text without NUL characters";
const TIME_RULE = "must be a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z";

/** Fields that hold an id; a cursor is one. */
const ID_NAME = /^(id|after)$|_id$/;

type Values = Record<string, unknown>;

/** Finds text that Postgres refuses or changes, and times outside the years 1 to 9999. Ids are not checked. */
export function unstorableValues(desc: DescMessage, message: object): Unstorable[] {
  const found: Unstorable[] = [];
  checkMessage(desc, message as Values, "", found);
  return found;
}

function checkMessage(desc: DescMessage, values: Values, path: string, found: Unstorable[]): void {
  if (desc.typeName === TimestampSchema.typeName) {
    if (!isStorableTime(values as Timestamp)) found.push({ field: path, message: TIME_RULE });
    return;
  }
  for (const field of desc.fields) {
    const value = valueIn(values, field);
    if (value === undefined) continue;
    const at = path === "" ? field.name : `${path}.${field.name}`;
    if (field.fieldKind === "list") {
      (value as unknown[]).forEach((item, index) =>
        checkOne(field, item, `${at}[${index}]`, found),
      );
    } else if (field.fieldKind === "map") {
      for (const [key, item] of Object.entries(value as Values)) {
        const place = `${at}[${JSON.stringify(key)}]`;
        if (!isStorableText(key)) found.push({ field: place, message: TEXT_RULE });
        checkOne(field, item, place, found);
      }
    } else {
      checkOne(field, value, at, found);
    }
  }
}

function valueIn(values: Values, { oneof, localName }: DescField): unknown {
  if (!oneof) return values[localName];
  const chosen = values[oneof.localName] as { case?: string; value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

function checkOne(field: DescField, value: unknown, at: string, found: Unstorable[]): void {
  if (field.message) checkMessage(field.message, value as Values, at, found);
  else if (typeof value === "string" && !isStorableText(value) && !ID_NAME.test(field.name)) {
    found.push({ field: at, message: TEXT_RULE });
  }
}

function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function isStorableTime({ seconds, nanos }: Timestamp): boolean {
  if (nanos < 0 || nanos > MAX_NANOS) return false;
  if (seconds === MAX_SECONDS) return nanos <= MAX_LAST_NANOS;
  return seconds >= MIN_SECONDS && seconds < MAX_SECONDS;
}
