/** The OpenAPI document as the gateway uses it: its text, its error codes, its paths and its schemas. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { components as dashboardComponents } from "#gen/openapi/dashboard.ts";
import type { components } from "#gen/openapi/media.ts";
import type { AllowAddress } from "#runtime/address.ts";
import { createAjv, createCheckers } from "./validation/checker.ts";
import type { CheckerFor } from "./validation/checker.ts";

/** The public codes, and those that only the dashboard's document has. */
export type ErrorCode =
  | components["schemas"]["ErrorCode"]
  | dashboardComponents["schemas"]["DashboardErrorCode"];
export type ErrorType = components["schemas"]["ErrorType"];

/** One row of the document's table of codes. */
export type CodeEntry = { code: ErrorCode; status: number; type: ErrorType; description: string };

export type OpenApiDocument = {
  servers: [{ url: string }];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
  "x-max-body-bytes": number;
  "x-error-codes": CodeEntry[];
};

export type Contract = {
  document: OpenApiDocument;
  yaml: string;
  json: string;
  /** What all paths begin with: `/v1`. */
  prefix: string;
  maxBodyBytes: number;
  /** The row of a code; `type` chooses where a code has several. Throws for a code that has none. */
  codeEntry: (code: ErrorCode, type?: ErrorType) => CodeEntry;
  /** The methods of the path that a request line asks for; none for an unknown path. */
  methodsOf: (url: string) => string[];
  /** Whether `value` is as the component schema of that name says. */
  matches: (schemaName: string, value: unknown) => boolean;
  /** Makes the check of a header, query or body schema. */
  checkerFor: CheckerFor;
};

const documentPath = fileURLToPath(new URL("../../openapi/media.yaml", import.meta.url));

/** Reads the public document. `allow` lets further addresses through in the URLs that clients give. */
export function loadContract(allow: AllowAddress, path = documentPath): Contract {
  const yaml = readFileSync(path, "utf8");
  return contractOf(parse(yaml) as OpenApiDocument, yaml, allow);
}

/** What a document says, ready to be asked. */
export function contractOf(document: OpenApiDocument, yaml: string, allow: AllowAddress): Contract {
  const codes = document["x-error-codes"];
  const prefix = document.servers[0].url;
  const routes = Object.entries(document.paths).map(([template, item]) => ({
    segments: `${prefix}${template}`.split("/"),
    methods: methodsIn(item),
  }));
  const codeEntry: Contract["codeEntry"] = (code, type) => {
    const entry = codes.find((one) => one.code === code && (type ?? one.type) === one.type);
    if (!entry) throw new Error(`the document has no error code ${code} ${type ?? ""}`);
    return entry;
  };
  const ajv = createAjv(allow);
  ajv.addSchema(document, "document");
  return {
    document,
    yaml,
    json: JSON.stringify(document),
    prefix,
    maxBodyBytes: document["x-max-body-bytes"],
    codeEntry,
    methodsOf: (url) => {
      const path = pathOf(url).split("/");
      return routes.find(({ segments }) => fits(segments, path))?.methods ?? [];
    },
    matches: (name, value) => ajv.validate(`document#/components/schemas/${name}`, value) === true,
    checkerFor: createCheckers(allow, (code) => codeEntry(code).description),
  };
}

/** As the router reads it: without a host, a query or a fragment, and decoded but for what would be a slash. */
function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, "").split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function fits(template: readonly string[], path: readonly string[]): boolean {
  if (template.length !== path.length) return false;
  return template.every((segment, index) => segment.startsWith("{") || segment === path[index]);
}

function methodsIn(item: Record<string, unknown>): string[] {
  const methods = ["get", "post", "put", "patch", "delete"].filter((method) => method in item);
  return methods.flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]));
}
