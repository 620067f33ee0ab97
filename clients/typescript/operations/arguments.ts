/** What each function of the client takes, checked before it is called. */
import { ApiPromise } from "../http/api-promise.ts";
import {
  checkOptions,
  checkValue,
  kindOf,
  OBJECT,
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
import type { AccountFunctions } from "./account.ts";
import type { DeliveryFunctions } from "./deliveries.ts";
import type { FileFunctions } from "./files.ts";
import type { ImageFunctions } from "./images.ts";
import type { OutputFunctions } from "./outputs.ts";
import type { VideoFunctions } from "./videos.ts";

/** Throws ArgumentError; `of` is the function's name. */
type Argument = (of: string, value: unknown) => void;

type Functions = VideoFunctions &
  ImageFunctions &
  FileFunctions &
  OutputFunctions &
  AccountFunctions &
  DeliveryFunctions;
type ListName = Exclude<Extract<keyof Functions, `list${string}`>, "listModels">;

const ID: Argument = (of, value) => checkValue(`The id of ${of}`, value, TEXT);
const REQUEST_SHAPE: Check = { ...OBJECT, what: "an object such as { model, prompt }" };
const REQUEST: Argument = (of, value) => checkValue(`The request of ${of}`, value, REQUEST_SHAPE);
const FILTER: Argument = (of, value) => {
  if (value !== undefined) checkValue(`The filter of ${of}`, value, OBJECT);
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

const BY_ID = [ID, CALL];

const LISTS: Record<ListName, readonly Argument[]> = {
  listVideos: [FILTER, CALL],
  listImages: [FILTER, CALL],
  listTransactions: [FILTER, CALL],
  listRequests: [FILTER, CALL],
  listDeliveries: [FILTER, CALL],
};

const CALLS: Record<Exclude<keyof Functions, ListName>, readonly Argument[]> = {
  createVideo: [REQUEST, options(CREATE_OPTIONS)],
  createVideoAndWait: [REQUEST, options(CREATE_AND_WAIT_OPTIONS)],
  retrieveVideo: BY_ID,
  cancelVideo: BY_ID,
  deleteVideo: BY_ID,
  waitForVideo: [ID, options(WAIT_OPTIONS)],
  createImage: [REQUEST, options(CREATE_IMAGE_OPTIONS)],
  createImageAndWait: [REQUEST, options(CREATE_AND_WAIT_OPTIONS)],
  retrieveImage: BY_ID,
  cancelImage: BY_ID,
  deleteImage: BY_ID,
  waitForImage: [ID, options(WAIT_OPTIONS)],
  createFile: [PICTURE, options(CREATE_OPTIONS)],
  retrieveFile: BY_ID,
  deleteFile: BY_ID,
  download: [OUTPUT, PATH_OR_CALL, CALL],
  listModels: [CALL],
  retrieveModel: BY_ID,
  retrieveBalance: [CALL],
  retrieveUsage: [FILTER, CALL],
  retrieveDelivery: BY_ID,
  redeliver: BY_ID,
};

/** The functions with their arguments checked: lists throw ArgumentError, all others reject with it. */
export function checked<Some extends Partial<Functions>>(functions: Some): Some {
  const entries = Object.entries(functions).map(([name, call]) => [name, checkedCall(name, call)]);
  return Object.fromEntries(entries) as Some;
}

type AnyFunction = (...given: unknown[]) => unknown;

function checkedCall(name: string, call: unknown): AnyFunction {
  const isList = Object.hasOwn(LISTS, name);
  const expected = { ...LISTS, ...CALLS }[name as keyof Functions];
  return (...given) => {
    try {
      for (const [index, check] of expected.entries()) check(name, given[index]);
    } catch (error) {
      if (isList) throw error;
      return new ApiPromise(Promise.reject(error as Error));
    }
    return (call as AnyFunction)(...given);
  };
}

/** The arguments of the functions that watch. Throws ArgumentError. */
export function checkWatch(of: string, id: unknown, given: unknown): void {
  ID(of, id);
  CALL(of, given);
}
