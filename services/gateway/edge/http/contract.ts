/** An OpenAPI document as the gateway uses it: text, error codes, paths and schemas. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AllowAddress } from "#runtime/address.ts";
import type { ErrorCode, ErrorType } from "../validation/error-codes.ts";
import { createCheckers, type AssetBaseUrl, type CheckerFor } from "../validation/checker.ts";

/** One row of the document's table of error codes. */
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
  /** The prefix of all paths: `/v1`. */
  prefix: string;
  maxBodyBytes: number;
  /** The row of a code; `type` selects one when a code has several rows. Throws when there is no such row. */
  codeEntry: (code: ErrorCode, type?: ErrorType) => CodeEntry;
  /** The route at the path of a request line: its path as the document has it, with the prefix. */
  routeAt: (url: string) => { path: string; methods: string[] } | undefined;
  /** The checker of a header, query or body schema, which is compiled when first used. */
  checkerFor: CheckerFor;
};

/** Those that a path of a document may have, as it writes them. */
export const METHODS = ["get", "post", "put", "patch", "delete"] as const;

export function isMethod(key: string): key is (typeof METHODS)[number] {
  return (METHODS as readonly string[]).includes(key);
}

type DocumentName = "media" | "dashboard" | "openai";

/** How other documents refer to the public one. */
const PUBLIC = "./media.yaml#/";

/** A document as `npm run gen` has parsed it: to parse YAML takes a tenth of the time of a start. */
export function readJson(name: DocumentName): string {
  return readProjectFile(`gen/openapi/${name}.json`);
}

function readProjectFile(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), "utf8");
}

/** A document with the components and error codes of the public one, to which it may refer, beside its own. */
export function readDocument(name: DocumentName): OpenApiDocument {
  const own = JSON.parse(readJson(name).replaceAll(PUBLIC, "#/")) as OpenApiDocument;
  if (name === "media") return own;
  const shared = readDocument("media");
  return {
    ...own,
    components: mergedComponents(shared.components, own.components),
    // The public row of a code that both have is for those who name no type.
    "x-error-codes": [...shared["x-error-codes"], ...own["x-error-codes"]],
  } as OpenApiDocument;
}

type Components = Record<string, Record<string, object>>;

function mergedComponents(shared: object, own: object): Components {
  const [a, b] = [shared as Components, own as Components];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, { ...a[name], ...b[name] }]));
}

/** Prepares a document for routing and validation. `allow` and `assetBaseUrl` permit further URLs in what clients send. */
export function loadContract(
  name: DocumentName,
  allow: AllowAddress,
  assetBaseUrl: AssetBaseUrl,
): Contract {
  const document = readDocument(name);
  const codes = document["x-error-codes"];
  const prefix = document.servers[0].url;
  const routes = Object.entries(document.paths).map(([template, item]) => ({
    path: `${prefix}${template}`,
    segments: `${prefix}${template}`.split("/"),
    methods: methodsIn(item),
  }));
  const routeAt: Contract["routeAt"] = (url) => {
    const path = pathOf(url).split("/");
    return routes.find(({ segments }) => matchesTemplate(segments, path));
  };
  const codeEntry: Contract["codeEntry"] = (code, type) => {
    const found = codes.find((entry) => entry.code === code && (type ?? entry.type) === entry.type);
    if (!found) throw new Error(`the document has no error code ${code} ${type ?? ""}`);
    return found;
  };
  return {
    document,
    yaml: readProjectFile(`openapi/${name}.yaml`),
    prefix,
    maxBodyBytes: document["x-max-body-bytes"],
    codeEntry,
    routeAt,
    checkerFor: createCheckers(allow, assetBaseUrl, (code) => codeEntry(code).description),
  };
}

/** The path as the router reads it: no host, query or fragment; percent-decoded except for encoded slashes. */
export function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, "").split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function matchesTemplate(template: readonly string[], path: readonly string[]): boolean {
  if (template.length !== path.length) return false;
  return template.every((segment, index) =>
    segment.startsWith("{") ? path[index] !== "" : segment === path[index],
  );
}

function methodsIn(item: Record<string, unknown>): string[] {
  const methods = METHODS.filter((method) => method in item);
  return methods.flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]));
}
