/** retrieveBalance: GET /balance. */
import { modeOf } from "#runtime/mode.ts";
import { presentBalance } from "../presenters/balance.ts";
import { callerOf } from "../http/request-state.ts";
import { required } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const retrieveBalance: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, async () => {
    const { accountId, mode } = callerOf(request);
    const { balance, limits } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) });
    return presentBalance(mode, required(balance), limits);
  });
