/** A customer of the whole service: an account with Tokens and keys, and clients of the public API. */
import { createClient } from "../../clients/typescript/index.ts";
import type { Client, ClientOptions } from "../../clients/typescript/index.ts";
import type { WholeService } from "./whole-service.ts";

export type Customer = {
  accountId: string;
  key: (mode: "live" | "test") => Promise<string>;
  webhookSecret: (mode: "live" | "test") => Promise<string>;
};

/** An account with production access and that many live Tokens. */
export async function newCustomer(service: WholeService, tokens = 100_000): Promise<Customer> {
  const { id } = await service.ops<{ id: string }>("account", "create", "--name", "Customer");
  const account = ["--account", id];
  await service.ops("account", "grant-production", ...account);
  if (tokens > 0) await service.ops("recharge", ...account, "--tokens", String(tokens));
  return {
    accountId: id,
    key: async (mode) => {
      const made = service.ops<{ key: string }>("key", "create", ...account, "--mode", mode);
      return (await made).key;
    },
    webhookSecret: async (mode) => {
      const owner = [...account, "--mode", mode];
      const kept = service.ops<{ secret: string }>("webhook", "secret", ...owner);
      return (await kept).secret;
    },
  };
}

/** `url` is the public address without /v1. */
export function clientOf(
  url: string,
  apiKey: string,
  options: Partial<ClientOptions> = {},
): Client {
  return createClient({ apiKey, baseUrl: `${url}/v1`, ...options });
}
