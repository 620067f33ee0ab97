/** Compiles the document's schemas to checks that answer with a request's faults. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { AllowAddress } from "#runtime/address.ts";
import { checkUrl } from "#runtime/address.ts";
import type { ErrorCode } from "../contract.ts";
import { faultsIn } from "./faults.ts";
import type { Fault, ObjectSchema } from "./faults.ts";

export type Place = "header" | "query" | "body";

/** The faults of `data`, in the document's order; none where it is as the document says. */
export type Checker = (data: unknown) => Fault[];

export type CheckerFor = (place: Place, schema: ObjectSchema) => Checker;

/** Nothing is converted, removed or filled in. */
export function createAjv(allow: AllowAddress): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
  });
  formats.default(ajv);
  ajv.addFormat("int64", true);
  ajv.addFormat("public-https-url", (url: string) => checkUrl(url, allow).ok);
  return ajv;
}

export function createCheckers(
  allow: AllowAddress,
  describe: (code: ErrorCode) => string,
): CheckerFor {
  const ajv = createAjv(allow);
  return (place, schema) => {
    const validate = ajv.compile(schema);
    return (data) =>
      validate(data)
        ? []
        : faultsIn({ errors: validate.errors ?? [], data, schema, place, allow, describe });
  };
}
