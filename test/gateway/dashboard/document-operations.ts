/** The operations of openapi/dashboard.yaml, and requests to them that change nothing. */
import {
  operationNodes,
  readDocument,
  type OperationNode,
} from "../../../services/gateway/edge/http/contract.ts";

export const routes = operationNodes(readDocument("dashboard"));

export const ofAccounts = routes.filter(({ path }) => path.includes("{account_id}"));

export const ROLES = [...new Set(ofAccounts.flatMap((route) => route["x-roles"] ?? []))];

/** Of nothing that exists. */
const IDS: Record<string, string> = {
  user_id: "usr_2zjrwfavgwd8tj2ht7shw0cw42",
  key_id: "key_2zjrwfavgwd8tj2ht7shw0cw42",
  invitation_id: "inv_2zjrwfavgwd8tj2ht7shw0cw42",
  id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
};

/** The path below /dashboard/api, with every parameter that is required. */
export function urlOf({ path, parameters }: OperationNode, accountId: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    name === "account_id" ? accountId : (IDS[name] ?? "none"),
  );
  const needsMode = parameters.some(({ name }) => name === "mode");
  return needsMode ? `${filled}?mode=test&kind=video&month=2026-11` : filled;
}
