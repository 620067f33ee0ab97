/** The parsers of arguments and of option values. */
import { InvalidArgumentError } from "commander";

export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function atLeastOne(text: string): number {
  const count = wholeNumber(text);
  if (count >= 1) return count;
  throw new InvalidArgumentError("It must be at least 1.");
}

/** A day is its beginning. */
export function timeOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}

export function appended(text: string, before: string[] = []): string[] {
  return [...before, text];
}

export function withMetadata(
  text: string,
  before: Record<string, string> = {},
): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError("It must be like order=8841.");
  return { ...before, [key]: value };
}

/** Options by the names of the API's fields: `aspect_ratio` for `aspectRatio`. The service checks the values. */
export function inApiNames(options: object): Record<string, unknown> {
  const named = Object.entries(options).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value as unknown,
  ]);
  return Object.fromEntries(named) as Record<string, unknown>;
}
