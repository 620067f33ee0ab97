/** The dashboard's OpenAPI document, made one with the parts of the public document that it refers to. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { AllowAddress } from "#runtime/address.ts";
import { contractOf } from "../contract.ts";
import type { Contract, OpenApiDocument } from "../contract.ts";

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../openapi/${name}`, import.meta.url)), "utf8");

const PUBLIC = "media.yaml";
const METHODS = new Set(["get", "post", "patch", "delete"]);

type Item = Record<string, unknown>;

/** Reads both documents. Only the paths of the dashboard's own are served. */
export function loadDashboardContract(allow: AllowAddress): Contract {
  const yaml = read("dashboard.yaml");
  const own = parse(yaml.replaceAll(`./${PUBLIC}#/`, "#/")) as OpenApiDocument;
  const shared = parse(read(PUBLIC)) as OpenApiDocument;
  const document = {
    ...own,
    paths: Object.fromEntries(
      Object.entries(own.paths).map(([path, item]) => [path, withOwnParameters(item)]),
    ),
    components: joined(shared.components, own.components),
    "x-error-codes": [...own["x-error-codes"], ...shared["x-error-codes"]],
  } as OpenApiDocument;
  return contractOf(document, yaml, allow);
}

/** An operation that only an owner of the account may call, and one that needs no session, by its id. */
export function accessRules({
  document,
}: Contract): Map<string, { isOpen: boolean; role: string }> {
  const rules = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => {
      const { operationId, security, "x-role": role = "member" } = operation as Item;
      const isOpen = Array.isArray(security) && security.length === 0;
      return [String(operationId), { isOpen, role: String(role) }] as const;
    }),
  );
  return new Map(rules);
}

/** What stands at a path for all of its operations, at each of them. */
function withOwnParameters({ parameters = [], ...item }: Item): Item {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      if (!METHODS.has(method)) return [method, operation];
      const { parameters: own = [], ...rest } = operation as Item;
      return [method, { ...rest, parameters: [...(parameters as []), ...(own as [])] }];
    }),
  );
}

type Components = Record<string, Record<string, object>>;

function joined(shared: object, own: object): Components {
  const [a, b] = [shared as Components, own as Components];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, { ...a[name], ...b[name] }]));
}
