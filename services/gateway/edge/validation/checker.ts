/** Makes functions of the document's schemas that return a request's faults. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { _, type CodeKeywordDefinition, type FormatDefinition, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { checkUrl, type AllowAddress } from "#runtime/address.ts";
import { assetKeyOf, isBelowAssets } from "#vocabulary/asset-url.ts";
import type { ErrorCode } from "./error-codes.ts";
import { faultsIn, type Fault, type ObjectSchema } from "./faults.ts";
import type { RequestPart } from "./message.ts";

/** The faults of `data` in the document's order; empty when it is valid. Of more than 16 KiB only one fault is looked for. */
export type Checker = (data: unknown, bytes?: number) => Fault[];

/** Below it are the files that this service stores, which it does not fetch from the internet. */
export type AssetBaseUrl = () => string;

export type CheckerFor = (part: RequestPart, schema: ObjectSchema) => Checker;

/** A larger body has room for so many faults that to find them all would hold up other requests. */
const MAX_BYTES_FOR_ALL_FAULTS = 16 * 1024;

/** More digits of a second than anybody has. */
const MAX_TIME_CHARACTERS = 64;

/** What the picture is, its bytes say. */
const PICTURE_DATA_URL = /^data:image\/[\w.+-]+(?:;[\w.+-]+=[\w.+"-]*)*;base64,/i;
const MAX_DATA_URL_HEAD = 200;
const MAX_URL_CHARACTERS = 2_048;

type AjvOptions = { allow: AllowAddress; assetBaseUrl: AssetBaseUrl; allErrors: boolean };

/** An ajv that converts, removes or defaults nothing. */
function createAjv({ allow, assetBaseUrl, allErrors }: AjvOptions): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
    // The documents are linted when they change; to check them again takes a tenth of a second of a start.
    validateSchema: false,
  });
  formats.default(ajv);
  ajv.addFormat("int64", true);
  limitTimes(ajv);
  const isForeign = (url: string) => checkUrl(url, allow).ok && !isBelowAssets(url, assetBaseUrl());
  ajv.addFormat("public-https-url", isForeign);
  ajv.addFormat("picture-url", (url: string) => isPictureUrl(url, isForeign));
  const isOwnFile = (url: string) => assetKeyOf(url, assetBaseUrl()) !== undefined;
  for (const name of ["pattern", "format"]) narrowKeyword(ajv, name, isOwnFile);
  return ajv;
}

/** Its scheme may be in any case. */
export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === "data:";
}

/** What may stand in for a picture: a public URL of a usual length, or a data URL of any. */
function isPictureUrl(url: string, isForeign: (url: string) => boolean): boolean {
  if (isDataUrl(url)) return PICTURE_DATA_URL.test(url.slice(0, MAX_DATA_URL_HEAD));
  return url.length <= MAX_URL_CHARACTERS && isForeign(url);
}

/** The library splits a text at all of its spaces before it looks at what is between them. */
function limitTimes(ajv: Ajv2020): void {
  const { validate, ...rest } = ajv.formats["date-time"] as FormatDefinition<string>;
  const isTime = validate as (text: string) => boolean;
  const isShort = (text: string) => text.length <= MAX_TIME_CHARACTERS;
  ajv.addFormat("date-time", {
    ...rest,
    validate: (text: string) => isShort(text) && isTime(text),
  });
}

/**
 * Has a keyword checked only where a text is not too long anyway, as its cost may grow faster than the text, and where it is
 * not the URL of a stored file in a field that takes those whatever the service's address is.
 */
function narrowKeyword(ajv: Ajv2020, name: string, isOwnFile: (url: string) => boolean): void {
  const keyword = ajv.getKeyword(name) as CodeKeywordDefinition;
  ajv.removeKeyword(name).addKeyword({
    ...keyword,
    code(context, type) {
      const { gen, data } = context;
      const { maxLength = Infinity, ...schema } = context.parentSchema as Record<string, unknown>;
      // A character is one or two of what `length` counts.
      const isChecked = _`!(${data}.length > ${2 * Number(maxLength)})`;
      const isOwn = gen.scopeValue("func", { ref: isOwnFile });
      const condition =
        schema["x-own-files"] === true ? _`${isChecked} && !${isOwn}(${data})` : isChecked;
      gen.if(condition, () => gen.block(() => keyword.code(context, type)));
    },
  });
}

/**
 * A schema is compiled with its first request: all of them together take a third of a second, and megabytes. `describe`
 * gives the document's description of a code.
 */
export function createCheckers(
  allow: AllowAddress,
  assetBaseUrl: AssetBaseUrl,
  describe: (code: ErrorCode) => string,
): CheckerFor {
  const all = createAjv({ allow, assetBaseUrl, allErrors: true });
  let first: Ajv2020 | undefined;
  return (part, schema) => {
    const validators = new Map<Ajv2020, ValidateFunction>();
    return (data, bytes = 0) => {
      const isLarge = bytes > MAX_BYTES_FOR_ALL_FAULTS;
      const ajv = isLarge ? (first ??= createAjv({ allow, assetBaseUrl, allErrors: false })) : all;
      const validate = validators.get(ajv) ?? ajv.compile(schema);
      validators.set(ajv, validate);
      if (validate(data)) return [];
      const errors = validate.errors ?? [];
      return faultsIn({ errors, data, schema, part, allow, assetBaseUrl, describe });
    };
  };
}
