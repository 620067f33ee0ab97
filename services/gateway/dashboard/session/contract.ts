/** Loads the dashboard's OpenAPI document, merged with the components of the public document that it refers to. */
import type { AllowAddress } from "#runtime/address.ts";
import {
  createContract,
  METHODS,
  readJson,
  readYaml,
  type Contract,
  type OpenApiDocument,
} from "../../edge/http/contract.ts";
import type { IsOwnFile } from "../../edge/validation/checker.ts";

const PUBLIC = "./media.yaml#/";
/** Reads both documents. Only the dashboard document's paths are served. */
export function loadDashboardContract(allow: AllowAddress, isOwnFile: IsOwnFile): Contract {
  const own = JSON.parse(readJson("dashboard").replaceAll(PUBLIC, "#/")) as OpenApiDocument;
  const shared = JSON.parse(readJson("media")) as OpenApiDocument;
  const document = {
    ...own,
    components: mergedComponents(shared.components, own.components),
    "x-error-codes": [...own["x-error-codes"], ...shared["x-error-codes"]],
  } as OpenApiDocument;
  return createContract(document, readYaml("dashboard"), allow, isOwnFile);
}

export type AccessRule = {
  /** Whether the operation needs no session. */
  isOpen: boolean;
  /** The roles that may call an operation on an account; empty for other operations. */
  roles: ReadonlySet<string>;
};

/** The access rule of each operation by its id. Throws when an operation on an account lists no roles. */
export function accessRules({ document }: Pick<Contract, "document">): Map<string, AccessRule> {
  const rules = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => item[method] ?? []).map((operation) => {
      const { operationId, security, "x-roles": listed } = operation as Record<string, unknown>;
      const roles = new Set(Array.isArray(listed) ? listed.map(String) : []);
      if (path.includes("{account_id}") && roles.size === 0) {
        throw new Error(`operation ${String(operationId)} lists no x-roles`);
      }
      const isOpen = Array.isArray(security) && security.length === 0;
      return [String(operationId), { isOpen, roles }] as const;
    }),
  );
  return new Map(rules);
}

type Components = Record<string, Record<string, object>>;

function mergedComponents(shared: object, own: object): Components {
  const [a, b] = [shared as Components, own as Components];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, { ...a[name], ...b[name] }]));
}
