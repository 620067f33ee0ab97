/** retrieveBalance: GET /balance. */
import type { components } from "#gen/openapi/media.ts";
import { modeOf } from "#runtime/mode.ts";
import { callerOf } from "../http/request-state.ts";
import { READ_TIMEOUT_MS, answered, callFor } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const retrieveBalance: Operation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const call = callFor(request, READ_TIMEOUT_MS);
  const { balance } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) }, call);
  const { available, reserved } = answered(balance);
  return {
    object: "balance",
    mode,
    available: Number(available),
    reserved: Number(reserved),
  } satisfies components["schemas"]["Balance"];
};
