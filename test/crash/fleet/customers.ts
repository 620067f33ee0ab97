/** The accounts that a fleet serves under fire, with their clients and secrets. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Fleet } from "../../support/compose/compose.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import type { RequestLog } from "./request-log.ts";

export type ModeName = "live" | "test";

export type FleetCustomer = Awaited<ReturnType<typeof createCustomers>>[number];

const ISSUED_TOKENS = 1_000_000;
/** One attempt may hang on a paused gateway; a well-written client gives up and repeats it. */
const TIMEOUT_MS = 10_000;

export async function createCustomers(fleet: Fleet, count: number, log: RequestLog) {
  using operator = fleet.operator();
  const createOne = async () => {
    const { accountId, key, webhookSecret } = await newCustomer(fleet, ISSUED_TOKENS);
    await operator.accounts.setLimits({ accountId, createsPerMinute: 0, readsPerMinute: 0 });
    const test = { accountId, mode: Mode.TEST, tokens: BigInt(ISSUED_TOKENS) };
    await operator.billing.recharge(test);
    const options = { timeoutMs: TIMEOUT_MS, fetch: log.fetch };
    const clientFor = async (mode: ModeName) => clientOf(fleet.url, await key(mode), options);
    return {
      accountId,
      clients: { live: await clientFor("live"), test: await clientFor("test") },
      webhookSecrets: { live: await webhookSecret("live"), test: await webhookSecret("test") },
    };
  };
  // One after the other: everything has just started.
  const customers: Awaited<ReturnType<typeof createOne>>[] = [];
  while (customers.length < count) customers.push(await createOne());
  return customers;
}
