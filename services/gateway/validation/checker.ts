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

/** Nothing is converted, removed or filled in; only query parameters, which are text, may be numbers. */
export function createAjv(allow: AllowAddress, coerceTypes = false): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    coerceTypes,
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
  const exact = createAjv(allow);
  const coercing = createAjv(allow, true);
  return (place, schema) => {
    const validate = (place === "query" ? coercing : exact).compile(schema);
    return (data) =>
      validate(data)
        ? []
        : faultsIn({ errors: validate.errors ?? [], data, schema, place, allow, describe });
  };
}
