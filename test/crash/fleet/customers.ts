/** The accounts that a fleet serves under fire, with their clients and secrets. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { createClient, type Client } from "../../../clients/typescript/index.ts";
import type { Fleet } from "../../support/compose/compose.ts";
import type { RequestLog } from "./request-log.ts";

export type ModeName = "live" | "test";

export type FleetCustomer = {
  accountId: string;
  clients: Record<ModeName, Client>;
  webhookSecrets: Record<ModeName, string>;
};

const ISSUED_TOKENS = 1_000_000;
/** One attempt may hang on a paused gateway; a well-written client gives up and repeats it. */
const TIMEOUT_MS = 10_000;
const MODES = { live: Mode.LIVE, test: Mode.TEST } as const;

export async function createCustomers(
  fleet: Fleet,
  count: number,
  log: RequestLog,
): Promise<FleetCustomer[]> {
  using operator = fleet.operator();
  const { accounts, billing, delivery } = operator;
  const createCustomer = async (): Promise<FleetCustomer> => {
    const { account } = await accounts.createAccount({ name: "Customer" });
    const accountId = account?.id ?? "";
    await accounts.grantProduction({ accountId });
    await accounts.setLimits({ accountId, createsPerMinute: 0, readsPerMinute: 0 });
    const ofMode = async (name: ModeName) => {
      const mode = MODES[name];
      await billing.recharge({ accountId, mode, tokens: BigInt(ISSUED_TOKENS) });
      const [{ secret: apiKey }, { secret }] = await Promise.all([
        accounts.createKey({ accountId, mode, name: "fire" }),
        delivery.getWebhookSecret({ accountId, mode }),
      ]);
      const options = { apiKey, baseUrl: `${fleet.url}/v1`, timeoutMs: TIMEOUT_MS };
      return { client: createClient({ ...options, fetch: log.fetch }), secret };
    };
    const [live, test] = await Promise.all([ofMode("live"), ofMode("test")]);
    return {
      accountId,
      clients: { live: live.client, test: test.client },
      webhookSecrets: { live: live.secret, test: test.secret },
    };
  };
  // One after the other: everything has just started.
  const customers: FleetCustomer[] = [];
  while (customers.length < count) customers.push(await createCustomer());
  return customers;
}
