/** What an API key may do, as its account has restricted it. */
import type { KindName } from "#vocabulary/names.ts";
import { ONE_OF } from "./requests.ts";

export type KeyPermissions = {
  /** "read": only operations that neither change nor spend anything. */
  access: "full" | "read";
  /** The only kinds that it may create; null for both. */
  kinds: readonly KindName[] | null;
  /** The only models that it may create with; null for all. */
  models: readonly string[] | null;
};

export const FULL_ACCESS: KeyPermissions = { access: "full", kinds: null, models: null };

/** What a request would do. */
type Use = { isRead: boolean; creates?: { kind: KindName; model: string } | undefined };

export function isPermitted({ access, kinds, models }: KeyPermissions, use: Use): boolean {
  const { isRead, creates } = use;
  if (isRead) return true;
  if (access === "read") return false;
  if (!creates) return true;
  return (kinds?.includes(creates.kind) ?? true) && (models?.includes(creates.model) ?? true);
}

/** Whether all that the permissions say can have an effect: a key that only reads creates nothing. */
export function isConsistent({ access, kinds, models }: KeyPermissions): boolean {
  return access === "full" || (kinds === null && models === null);
}

/** What a key may do that may not do everything: "only read", "create only images, with a or b". */
export function permittedText({ access, kinds, models }: KeyPermissions): string {
  if (access === "read") return "only read";
  const made = kinds?.map((kind) => `${kind}s`).join(" and ");
  const by = models && `with ${ONE_OF.format(models)}`;
  return `create only ${[made, by].filter(Boolean).join(", ")}`;
}

/** Without what says nothing. */
export function publicPermissions({ access, kinds, models }: KeyPermissions) {
  return {
    access,
    ...(kinds === null ? {} : { kinds: [...kinds] }),
    ...(models === null ? {} : { models: [...models] }),
  };
}

/** For the audit log. */
export function permissionDetails(permissions: KeyPermissions): Record<string, string> {
  const shown = Object.entries(publicPermissions(permissions));
  return Object.fromEntries(shown.map(([name, value]) => [name, [value].flat().join(", ")]));
}
