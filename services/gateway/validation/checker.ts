/** Makes functions of the document's schemas that return a request's faults. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject, ValidateFunction } from "ajv";
import formats from "ajv-formats";
import type { AllowAddress } from "#runtime/address.ts";
import { checkUrl } from "#runtime/address.ts";
import type { ErrorCode } from "../error-codes.ts";
import { faultsIn } from "./faults.ts";
import type { Fault, ObjectSchema } from "./faults.ts";
import type { RequestPart } from "./message.ts";

/** The faults of `data` in the document's order; empty when it is valid. */
export type Checker = (data: unknown) => Fault[];

/** Whether the URL is one of a file that this service stores, which it does not fetch from the internet. */
export type IsOwnFile = (url: string) => boolean;

export type CheckerFor = (part: RequestPart, schema: ObjectSchema) => Checker;

/** An ajv that reports all errors and converts, removes or defaults nothing. */
export function createAjv(allow: AllowAddress): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
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
  ajv.addFormat("public-https-url", (url: string) => checkUrl(url, allow).ok);
  return ajv;
}

/**
 * A schema is compiled with its first request: all of them together take a third of a second, and megabytes. `describe`
 * gives the document's description of a code.
 */
export function createCheckers(
  allow: AllowAddress,
  isOwnFile: IsOwnFile,
  describe: (code: ErrorCode) => string,
): CheckerFor {
  const ajv = createAjv(allow);
  return (part, schema) => {
    let validate: ValidateFunction | undefined;
    return (data) => {
      validate ??= ajv.compile(schema);
      if (validate(data)) return [];
      const errors = (validate.errors ?? []).filter((error) => !isOwnFileUrl(error, isOwnFile));
      return faultsIn({ errors, data, schema, part, allow, describe });
    };
  };
}

/** Whether the error is about the URL of a stored file, in a field that takes those whatever the service's address is. */
function isOwnFileUrl({ keyword, parentSchema, data }: ErrorObject, isOwnFile: IsOwnFile): boolean {
  const takesFiles =
    (parentSchema as Record<string, unknown> | undefined)?.["x-own-files"] === true;
  if (!takesFiles || keyword !== "format") return false;
  const url = String(data);
  return url.isWellFormed() && isOwnFile(url);
}
