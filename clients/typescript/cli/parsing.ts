/** The parsers of arguments and of option values. */
import { InvalidArgumentError } from "commander";
import { didYouMean } from "../http/nearest.ts";
import { UsageError } from "./cli-errors.ts";
import type { Reference } from "./create-request.ts";

export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function atLeastOne(text: string): number {
  const count = wholeNumber(text);
  if (count >= 1) return count;
  throw new InvalidArgumentError("It must be at least 1.");
}

/** A parser that takes one of these words, and says which may be meant by another. `subject` begins its sentence. */
export function choice(subject: string, words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    const choices = new Intl.ListFormat("en", { type: "disjunction" }).format(words);
    throw new UsageError(`${subject} must be ${choices}; it is ${text}.${didYouMean(text, words)}`);
  };
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
  if (key === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be like order=8841.");
  }
  return { ...before, [key]: value };
}

export function withReference(text: string, before: Reference[] = []): Reference[] {
  const [, role, picture] = /^([a-z]+)=(.+)$/s.exec(text) ?? [];
  if (role === undefined || picture === undefined) {
    throw new InvalidArgumentError("It must be like subject=cat.png.");
  }
  return [...before, { role, picture }];
}
