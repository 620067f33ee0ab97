/** Reads environment variables for a service's config.ts and reports all bad ones together. */
import { readFileSync } from "node:fs";

export type Env = Readonly<Record<string, string | undefined>>;

/** Names every variable that is missing or wrong. */
export class ConfigError extends Error {
  override name = "ConfigError";
  constructor(problems: readonly string[]) {
    super(`configuration:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
  }
}

/** What `read` returns. Its fault is one of `variable`, which names what it reads. */
export function asSetting<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError([`${variable}: ${(error as Error).message}`]);
  }
}

export type EnvReader = ReturnType<typeof envReader>;

/** A variable as a config reader asks for it. */
export type Variable = {
  name: string;
  type: string;
  /** Undefined: none, and it may be left out unless `isRequired`. */
  fallback: string | undefined;
  isRequired: boolean;
  /** The values of a choice. */
  allowed: readonly string[];
};

const observers = new WeakMap<Env, (variable: Variable) => void>();

/** Calls `observe` for every variable that is asked for in `env`: what documents variables is the code that reads them. */
export function observeReads(env: Env, observe: (variable: Variable) => void): void {
  observers.set(env, observe);
}

const MIN_SECRET_CHARACTERS = 32;
const HTTP = ["http", "https"];
/** Of a Postgres URL, for `url`. */
export const POSTGRES = ["postgres", "postgresql"];

/** `secret`, which is that of `variable`; one that is missing has its problem already. */
export function asSecret(reader: EnvReader, variable: string, secret: string): string {
  const isSet = secret !== "" || reader.optional(variable) !== undefined;
  if (isSet && secret.length < MIN_SECRET_CHARACTERS) {
    reader.problem(`${variable} must have ${MIN_SECRET_CHARACTERS} characters or more`);
  }
  return secret;
}

/** The variable, or what is in the file that `<name>_FILE` names. */
export function stringOrFile(reader: EnvReader, name: string): string {
  const isInFile = reader.optional(name) === undefined && reader.optional(`${name}_FILE`);
  return isInFile ? reader.file(`${name}_FILE`) : reader.string(name);
}

/** A bad variable gives a placeholder and a problem; `done` throws all problems as one ConfigError. */
export function envReader(env: Env) {
  const problems: string[] = [];
  const observe = observers.get(env);
  const asked = (name: string, type: string, more: Partial<Variable> = {}): void =>
    observe?.({ name, type, fallback: undefined, isRequired: false, allowed: [], ...more });
  const raw = (name: string): string | undefined => env[name] || undefined;
  const missing = (name: string): string => {
    problems.push(`${name} is required`);
    return "";
  };
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const text = raw(name);
    asked(name, `whole number, ${min} to ${max}`, { fallback: String(fallback) });
    if (text === undefined) return fallback;
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    problems.push(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
    return fallback;
  };
  const parse = (name: string, text: string, schemes: readonly string[]): string => {
    const url = URL.parse(text);
    if (url && schemes.includes(url.protocol.slice(0, -1))) return url.href.replace(/\/$/, "");
    // Without the text, which may have a password.
    const starts = schemes.map((scheme) => `${scheme}://`).join(" or ");
    problems.push(`${name} must begin with ${starts} and name a host`);
    return "";
  };
  return {
    string: (name: string, fallback?: string): string => {
      asked(name, "text", { fallback, isRequired: fallback === undefined });
      return raw(name) ?? fallback ?? missing(name);
    },
    optional: (name: string): string | undefined => {
      asked(name, "text");
      return raw(name);
    },
    integer,
    url: (name: string, schemes: readonly string[] = HTTP): string => {
      asked(name, "URL", { isRequired: true });
      const text = raw(name);
      return text === undefined ? missing(name) : parse(name, text, schemes);
    },
    /** One URL or several, separated by commas. */
    urls: (name: string): [string, ...string[]] => {
      asked(name, "URLs, separated by commas", { isRequired: true });
      const [first = "", ...more] = (raw(name) ?? missing(name)).split(",");
      if (first === "") return [first];
      const read = (text: string) => parse(name, text.trim(), HTTP);
      return [read(first), ...more.map(read)];
    },
    oneOf: <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
      asked(name, `one of ${allowed.join(", ")}`, { fallback, allowed });
      const text = raw(name);
      if (text === undefined) return fallback;
      const match = allowed.find((value) => value === text);
      if (match !== undefined) return match;
      problems.push(`${name} must be one of ${allowed.join(", ")}, not "${text}"`);
      return fallback;
    },
    list: (name: string): string[] => {
      asked(name, "list, separated by commas");
      const items = (raw(name) ?? "").split(",").map((item) => item.trim());
      return items.filter((item) => item !== "");
    },
    /** The values of the variables that are `prefix` and more, each after what follows; `rest` says what that is. */
    byPrefix: (prefix: string, rest: string) => {
      asked(`${prefix}<${rest}>`, "text");
      return Object.entries(env).flatMap(([name, value]) =>
        name.startsWith(prefix) && value?.trim()
          ? [[name.slice(prefix.length), value.trim()] as const]
          : [],
      );
    },
    file: (name: string): string => {
      asked(name, "path of a file", { isRequired: true });
      const path = raw(name);
      if (path === undefined) return missing(name);
      try {
        const text = readFileSync(path, "utf8");
        if (text.trim() !== "") return text;
        problems.push(`${name}: ${path} is empty`);
      } catch (error) {
        problems.push(`${name}: cannot read ${path}: ${(error as Error).message}`);
      }
      return "";
    },
    get isProduction(): boolean {
      asked("NODE_ENV", "text");
      return raw("NODE_ENV") === "production";
    },
    problem: (text: string): void => {
      problems.push(text);
    },
    /** The configuration that was read. */
    done: <T>(config: T): T => {
      if (problems.length > 0) throw new ConfigError(problems);
      return config;
    },
  };
}
