/** A customer for tests of the whole service: an account with Tokens and keys, and its API client. */
import { createClient, type Client, type ClientOptions } from "../../clients/typescript/index.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeOf } from "#vocabulary/names.ts";
import type { Operator } from "./operator.ts";

/** Longer than operators wait: the first calls of a process that has just started may be slow. */
const PATIENT = { timeoutMs: 60_000 };

/** Creates an account with production access and that many live Tokens. */
export async function newCustomer(service: Operator, tokens = 100_000, name = "Customer") {
  using operator = service.operator();
  const { accounts } = operator;
  const { account } = await accounts.createAccount({ name }, PATIENT);
  const accountId = account?.id ?? "";
  await accounts.grantProduction({ accountId }, PATIENT);
  if (tokens > 0) {
    const recharge = { accountId, mode: Mode.LIVE, tokens: BigInt(tokens) };
    await operator.billing.recharge(recharge, PATIENT);
  }
  return {
    accountId,
    key: async (mode: "live" | "test") => {
      using session = service.operator();
      const request = { accountId, mode: modeOf(mode), name: "" };
      return (await session.accounts.createKey(request, PATIENT)).secret;
    },
    webhookSecret: async (mode: "live" | "test") => {
      using session = service.operator();
      const request = { accountId, mode: modeOf(mode) };
      return (await session.delivery.getWebhookSecret(request, PATIENT)).secret;
    },
  };
}

/** `url` is the service's public URL without /v1. */
export function clientOf(
  url: string,
  apiKey: string,
  options: Partial<ClientOptions> = {},
): Client {
  return createClient({ apiKey, baseUrl: `${url}/v1`, ...options });
}
