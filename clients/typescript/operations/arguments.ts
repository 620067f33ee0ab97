/** What each function of the client takes, checked before it is called. */
import { ApiPromise } from "../http/api-promise.ts";
import {
  checkOptions,
  checkValue,
  kindOf,
  OBJECT,
  QUERY_VALUE,
  TEXT,
  type Check,
  type Checks,
} from "../http/arguments.ts";
import { ArgumentError } from "../http/errors.ts";
import {
  CALL_OPTIONS,
  CREATE_AND_WAIT_OPTIONS,
  CREATE_IMAGE_OPTIONS,
  CREATE_OPTIONS,
  WAIT_OPTIONS,
} from "../http/option-checks.ts";
import type { Outputs } from "./outputs.ts";
import type { Resources } from "./resources.ts";

/** Throws ArgumentError; `of` is the function's name. */
type Argument = (of: string, value: unknown) => void;

/** `isIterated`: its wrong arguments are thrown, because there is no promise that could reject. */
type Call = { takes: readonly Argument[]; isIterated?: true };

const ID: Argument = (of, value) => checkValue(`The id of ${of}`, value, TEXT);
const REQUEST_SHAPE: Check = { ...OBJECT, what: "an object such as { model, prompt }" };
const REQUEST: Argument = (of, value) => {
  checkValue(`The request of ${of}`, value, REQUEST_SHAPE);
  for (const [name, each] of Object.entries(value as object))
    checkValue(`The field ${name} of ${of}`, each, FIELD);
};
const FIELD: Check = {
  what: "what JSON can have",
  allows: (value) => typeof value !== "bigint",
  fault: (value) => `it is the bigint ${String(value)}n: write Number(${String(value)}n)`,
};
const FILTER: Argument = (of, value) => {
  if (value === undefined) return;
  checkValue(`The filter of ${of}`, value, OBJECT);
  for (const [name, each] of Object.entries(value as object))
    checkValue(`The filter ${name} of ${of}`, each, QUERY_VALUE);
};
/** Its function says what a picture is. */
const PICTURE: Argument = () => {};
const OUTPUT: Argument = (of, value) => {
  const { url } = Object(value) as { url?: unknown };
  if (typeof url === "string" && URL.canParse(url)) return;
  const found =
    typeof value === "object" && value !== null
      ? `its url is ${kindOf(url)}`
      : `it is ${kindOf(value)}`;
  throw new ArgumentError(
    `${of} needs an output with its URL, such as video.output[0] or { url }; ${found}.`,
  );
};
const options =
  <Options>(checks: Checks<Options>): Argument =>
  (of, value) =>
    checkOptions(of, value, checks);
const CALL = options(CALL_OPTIONS);
/** A path, where the options follow. */
const PATH_OR_CALL: Argument = (of, value) => {
  if (!TEXT.allows(value)) CALL(of, value);
};

const takes = (...given: Argument[]): Call => ({ takes: given });
const iterates = (...given: Argument[]): Call => ({ takes: given, isIterated: true });

const BY_ID = takes(ID, CALL);
const LIST = iterates(FILTER, CALL);
const WATCH = iterates(ID, CALL);
const WAIT = takes(ID, options(WAIT_OPTIONS));
const CREATE_AND_WAIT = takes(REQUEST, options(CREATE_AND_WAIT_OPTIONS));
const GENERATION = {
  createAndWait: CREATE_AND_WAIT,
  retrieve: BY_ID,
  list: LIST,
  cancel: BY_ID,
  delete: BY_ID,
  wait: WAIT,
  watch: WATCH,
};

const CALLS: { [Kind in keyof Resources]: Record<keyof Resources[Kind], Call> } = {
  videos: { create: takes(REQUEST, options(CREATE_OPTIONS)), ...GENERATION },
  images: { create: takes(REQUEST, options(CREATE_IMAGE_OPTIONS)), ...GENERATION },
  files: {
    create: takes(PICTURE, options(CREATE_OPTIONS)),
    list: LIST,
    retrieve: BY_ID,
    delete: BY_ID,
  },
  models: { list: takes(CALL), retrieve: BY_ID },
  balance: { retrieve: takes(CALL) },
  usage: { retrieve: takes(FILTER, CALL) },
  transactions: { list: LIST },
  requests: { list: LIST },
  deliveries: { list: LIST, retrieve: BY_ID, redeliver: BY_ID },
};
const DOWNLOAD = takes(OUTPUT, PATH_OR_CALL, CALL);

/** What others call a function: whoever writes one of these is told the name. */
const OTHER_NAMES = { get: "retrieve", generate: "create", del: "delete", remove: "delete" };

/** The functions with their arguments checked: those that are iterated throw ArgumentError, all others reject with it. */
export function checked(resources: Resources): Resources {
  const kinds = Object.entries(resources).map(([kind, functions]) => {
    const calls = Object.entries(CALLS[kind as keyof Resources]) as [string, Call][];
    const own = calls.map(([name, call]) => {
      const unchecked = (functions as Record<string, AnyFunction>)[name] as AnyFunction;
      return [name, checkedCall(`${kind}.${name}`, call, unchecked)];
    });
    return [kind, withOtherNames(kind, Object.fromEntries(own) as Record<string, AnyFunction>)];
  });
  return Object.fromEntries(kinds) as Resources;
}

export function checkedDownload(download: Outputs["download"]): Outputs["download"] {
  const call = checkedCall("download", DOWNLOAD, download as AnyFunction);
  return call as Outputs["download"];
}

type AnyFunction = (...given: unknown[]) => unknown;

function checkedCall(
  name: string,
  { takes: expected, isIterated }: Call,
  call: AnyFunction,
): AnyFunction {
  return (...given) => {
    try {
      for (const [index, check] of expected.entries()) check(name, given[index]);
    } catch (error) {
      if (isIterated) throw error;
      return new ApiPromise(Promise.reject(error as Error));
    }
    return call(...given);
  };
}

function withOtherNames(
  kind: string,
  functions: Record<string, AnyFunction>,
): Record<string, AnyFunction> {
  for (const [other, name] of Object.entries(OTHER_NAMES)) {
    if (!Object.hasOwn(functions, name)) continue;
    const value = () => {
      throw new ArgumentError(`There is no ${kind}.${other}. Write ${kind}.${name}.`);
    };
    Object.defineProperty(functions, other, { value });
  }
  return functions;
}
