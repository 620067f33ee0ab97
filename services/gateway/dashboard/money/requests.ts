/** Operations on what users ask operators for. */
import { presentAccountRequest } from "../../edge/presenters/account.ts";
import { Problem } from "../../edge/http/problem.ts";
import {
  insertAccountRequestIfNoneWaits,
  listAccountRequests,
} from "../../store/account-requests.ts";
import { changeAccount } from "../session/change-account.ts";
import { membershipOf, userOf } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { presentWholeList } from "../../edge/presenters/page.ts";

export const createRequest: DashboardOperation = (deps) => async (request, reply) => {
  const { kind, tokens, message } = request.body as Schemas["CreateRequestRequest"];
  const { accountId } = membershipOf(request);
  const { id: userId, email } = userOf(request);
  if (kind === "tokens" && tokens === undefined) {
    throw new Problem("missing_field", { message: "tokens is required.", param: "tokens" });
  }
  if (kind === "production" && tokens !== undefined) {
    const text = "tokens belongs to a request for Tokens. Leave it out.";
    throw new Problem("invalid_value", { message: text, param: "tokens" });
  }
  const id = deps.newId("ask");
  const row = await changeAccount(deps, request, async (sql, record) => {
    const created = await insertAccountRequestIfNoneWaits(sql, {
      accountId,
      id,
      kind,
      tokens: tokens === undefined ? null : BigInt(tokens),
      message,
      userId,
      email,
      createdAt: deps.clock.now(),
    });
    if (!created) throw new Problem("request_waiting");
    await record({ action: "request.create", target: id, details: { kind, tokens } });
    return created;
  });
  void reply.code(201);
  return presentAccountRequest(row);
};

const MAX_SHOWN = 20;

export const listRequests: DashboardOperation =
  ({ sql }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const rows = await listAccountRequests(sql, accountId, MAX_SHOWN);
    return presentWholeList(rows.map(presentAccountRequest));
  };
