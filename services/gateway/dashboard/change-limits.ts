/** Changes limits of Tokens, of an account or of one of its keys, with an entry in the audit log. */
import type { FastifyRequest } from "fastify";
import { recordAndCall } from "./change-account.ts";
import type { Schemas } from "./api/operation.ts";
import type { DashboardDeps } from "./deps.ts";
import { membershipOf } from "./request-state.ts";

/** `keyId` is undefined for the limits of the account. A limit that the request does not have is removed. */
export async function changeLimits(
  deps: DashboardDeps,
  request: FastifyRequest,
  keyId: string | undefined,
): Promise<void> {
  const { accountId } = membershipOf(request);
  const { day, month } = request.body as Schemas["LimitsRequest"];
  const details = { day: day ?? "none", month: month ?? "none" };
  const change = { action: "limits.set", target: keyId, mode: "live", details } as const;
  await recordAndCall(deps, request, change, () =>
    deps.billing.setTokenLimits({
      accountId,
      keyId: keyId ?? "",
      ...(day === undefined ? {} : { dayTokens: BigInt(day) }),
      ...(month === undefined ? {} : { monthTokens: BigInt(month) }),
    }),
  );
}
