/** The operations of openapi/dashboard.yaml, and requests to them that change nothing. */
import { readJson } from "../../../services/gateway/edge/http/contract.ts";

type Operation = {
  operationId: string;
  security?: unknown[];
  requestBody?: unknown;
  "x-roles"?: string[];
};

export type Route = { method: string; path: string; operation: Operation; needsMode: boolean };

const document = JSON.parse(readJson("dashboard")) as {
  paths: Record<string, Record<string, Operation> & { parameters?: { $ref: string }[] }>;
  components: { schemas: { Role: { enum: string[] } } };
};

export const ROLES = document.components.schemas.Role.enum;

export const routes: Route[] = Object.entries(document.paths).flatMap(
  ([path, { parameters, ...item }]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      needsMode: parameters?.some(({ $ref }) => $ref.endsWith("/Mode")) ?? false,
    })),
);

export const ofAccounts = routes.filter(({ path }) => path.includes("{account_id}"));

/** Of nothing that exists. */
const IDS: Record<string, string> = {
  user_id: "usr_2zjrwfavgwd8tj2ht7shw0cw42",
  key_id: "key_2zjrwfavgwd8tj2ht7shw0cw42",
  invitation_id: "inv_2zjrwfavgwd8tj2ht7shw0cw42",
  id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
};

/** The path below /dashboard/api, with every parameter that is required. */
export function urlOf({ path, needsMode }: Route, accountId: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    name === "account_id" ? accountId : (IDS[name] ?? "none"),
  );
  return needsMode ? `${filled}?mode=test&kind=video&month=2026-11` : filled;
}
