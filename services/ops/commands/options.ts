/** Options that several commands share, and their parsers. */
import { InvalidArgumentError, Option } from "commander";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeOf } from "#vocabulary/mode.ts";

export const accountOption = (): Option =>
  new Option("--account <id>", "the account's id, acct_…").makeOptionMandatory();

export const emailOption = (): Option =>
  new Option("--email <address>", "the address that the user signs in with").makeOptionMandatory();

export const modeOption = (): Option =>
  new Option("--mode <mode>", "live or test").argParser(parseMode);

export const csvOption = (): Option => new Option("--csv", "print CSV");

export const jsonOption = (): Option => new Option("--json", "print JSON");

function parseMode(text: string): Mode {
  if (text === "live" || text === "test") return modeOf(text);
  throw new InvalidArgumentError("It must be live or test.");
}

/** Parses "a,b" into its parts. */
export function parseList(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.every((part) => part !== "")) return [...new Set(parts)];
  throw new InvalidArgumentError("It must be like a,b without an empty part.");
}

/** A parser of such a list of some of these words. */
export function listOf(words: readonly string[]): (text: string) => string[] {
  return (text) => {
    const parts = parseList(text);
    if (parts.every((part) => words.includes(part))) return parts;
    throw new InvalidArgumentError(`It must name some of ${words.join(", ")}.`);
  };
}

export function parseTokens(text: string): bigint {
  if (/^[1-9]\d{0,15}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError("It must be a whole number of Tokens, 1 or more.");
}

export function parseSignedTokens(text: string): bigint {
  if (/^-?[1-9]\d{0,15}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError("It must be a whole number of Tokens other than 0.");
}

export function parseCount(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 0 or more.");
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Parses "30s", "10m" or "2h" into seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const seconds = Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? Number.NaN);
  if (seconds >= 1 && seconds <= 24 * 3600) return seconds;
  throw new InvalidArgumentError("It must be like 30s, 10m or 2h, at most 24h.");
}

const UNIT_HOURS: Record<string, number> = { m: 1 / 60, h: 1, d: 24 };

/** Parses "30m", "24h" or "7d" into the time that long ago. */
export function parseSince(text: string): Date {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const hours = Number(amount) * (UNIT_HOURS[unit ?? ""] ?? Number.NaN);
  if (hours > 0) return new Date(Date.now() - hours * 3_600_000);
  throw new InvalidArgumentError("It must be like 30m, 24h or 7d.");
}

/** The argument for a retention without end. */
export const FOR_EVER = "forever";

/** A number of days, or for ever. Commander makes an empty text of a parser's null. */
export type RetentionDays = number | typeof FOR_EVER;

/** Parses a number of days, at least `min`, or "forever". */
export function retentionDays(min: number): (text: string) => RetentionDays {
  return (text) => {
    if (text === FOR_EVER) return text;
    const days = Number(text);
    if (/^\d{1,5}$/.test(text) && days >= min && days <= 36_500) return days;
    throw new InvalidArgumentError(
      `It must be a number of days from ${min} to 36500, or "${FOR_EVER}".`,
    );
  };
}
