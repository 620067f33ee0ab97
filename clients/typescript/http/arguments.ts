/** Checks arguments before anything is sent, for callers whose language does not: names, kinds and ranges. */
import { ArgumentError } from "./errors.ts";
import { didYouMean } from "./nearest.ts";

/** What a value must be; `what` completes "it must be …". */
export type Check = {
  what: string;
  allows: (value: unknown) => boolean;
  /** What is wrong with a value, where its kind does not say it. */
  fault?: (value: unknown) => string | undefined;
};

/** A check for each option, so that none can be forgotten. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check };

/** The longest time of a timer; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

export const TEXT: Check = {
  what: "a text that is not empty",
  allows: (value) => typeof value === "string" && value !== "",
};
export const HEADER_TEXT: Check = {
  what: "a text that is not empty and that a header can have",
  allows: (value) => TEXT.allows(value) && canBeHeaders({ text: value as string }),
};
export const HEADERS: Check = {
  what: 'an object of headers\' names and texts, such as { "x-team": "films" }',
  allows: (value) =>
    isPlainObject(value) &&
    Object.entries(value).every((entry) => faultOfHeader(entry) === undefined),
  fault: (value) =>
    isPlainObject(value) ? Object.entries(value).map(faultOfHeader).find(Boolean) : undefined,
};
export const MILLISECONDS: Check = {
  what: `a number of milliseconds above 0 and at most ${MAX_MS}`,
  allows: (value) => typeof value === "number" && value > 0 && value <= MAX_MS,
};
export const SECONDS: Check = {
  what: "a number of seconds of at least 0",
  allows: (value) => typeof value === "number" && value >= 0,
};
export const COUNT: Check = {
  what: "a whole number of at least 1",
  allows: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
export const BOOLEAN: Check = {
  what: "true or false",
  allows: (value) => typeof value === "boolean",
};
export const FUNCTION: Check = {
  what: "a function",
  allows: (value) => typeof value === "function",
};
export const OBJECT: Check = { what: "an object", allows: isPlainObject };
/** What a query can have. */
export const QUERY_VALUE: Check = {
  what: "a text, a number, true, false or a valid Date",
  allows: (value) =>
    value instanceof Date
      ? !Number.isNaN(value.getTime())
      : !isObject(value) && typeof value !== "function",
};
export const SIGNAL: Check = {
  what: "an AbortSignal",
  // Runtimes and test environments have several classes of that name.
  allows: (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
};

/** Throws ArgumentError, which names the option, for one that is not known or has a value that is not allowed. */
export function checkOptions<Options>(of: string, options: unknown, checks: Checks<Options>): void {
  if (options === undefined) return;
  if (!isPlainObject(options)) {
    throw new ArgumentError(`The options of ${of} must be an object; they are ${kindOf(options)}.`);
  }
  const known = checks as Readonly<Record<string, Check>>;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) throw unknownOption(of, name, Object.keys(known));
    checkValue(`The option ${name} of ${of}`, value, known[name] as Check);
  }
}

function unknownOption(of: string, name: string, names: readonly string[]): ArgumentError {
  const hint = didYouMean(name, names) || ` Its options are ${names.join(", ")}.`;
  return new ArgumentError(`${of} has no option ${name}.${hint}`);
}

/** Throws ArgumentError, which begins with `subject`. */
export function checkValue(subject: string, value: unknown, { what, allows, fault }: Check): void {
  if (allows(value)) return;
  const found = fault?.(value) ?? `it is ${kindOf(value)}`;
  throw new ArgumentError(`${subject} must be ${what}; ${found}.`);
}

/** What a value is, without a text's content, which may be a key. */
export function kindOf(value: unknown): string {
  if (value === "") return "an empty text";
  if (typeof value === "string") return "a text";
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  const name = (value.constructor as { name?: string } | undefined)?.name;
  if (name === undefined || name === "Object") return "an object";
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Not an array, nor Headers, whose entries are no properties. */
function isPlainObject(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value) && !(value instanceof Headers);
}

function faultOfHeader([name, text]: [string, unknown]): string | undefined {
  if (!canBeHeaders({ [name]: "" })) return `no header can be named ${JSON.stringify(name)}`;
  if (typeof text !== "string") return `${name} is ${kindOf(text)}`;
  return canBeHeaders({ [name]: text })
    ? undefined
    : `${name} has a character that no header can have`;
}

function canBeHeaders(headers: Record<string, string>): boolean {
  try {
    void new Headers(headers);
    return true;
  } catch {
    return false;
  }
}
