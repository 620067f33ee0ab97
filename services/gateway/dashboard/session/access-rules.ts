/** The access rules of the dashboard's OpenAPI document. */
import { METHODS, type Contract } from "../../edge/http/contract.ts";

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
