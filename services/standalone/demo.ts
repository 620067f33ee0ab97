/** The demo account of a fresh data folder: production access, Tokens and a key of each kind. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import type { JWK } from "jose";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { overHttp, tokenInterceptor } from "#runtime/rpc-client.ts";
import { ownToken } from "#runtime/service-token.ts";
import type { ServiceName } from "#runtime/service.ts";

const LIVE_TOKENS = 100_000n;

export type Demo = { accountId: string; liveKeyFile: string; testKeyFile: string };

/** Makes the account at the first start; later starts find it in `directory`. */
export async function keptDemo(
  directory: string,
  rpcUrls: Record<ServiceName, string>,
  opsKey: JWK,
): Promise<Demo> {
  const accountFile = join(directory, "account-id");
  const liveKeyFile = join(directory, "live-key");
  const testKeyFile = join(directory, "test-key");
  const kept = await readFile(accountFile, "utf8").catch(() => undefined);
  if (kept !== undefined) return { accountId: kept.trim(), liveKeyFile, testKeyFile };

  using stack = new DisposableStack();
  const interceptors = [tokenInterceptor(ownToken(opsKey, systemClock))];
  const transport = (name: ServiceName) => stack.use(overHttp(rpcUrls[name])).connect(interceptors);
  const accounts = createClient(AccountService, transport("gateway"));
  const billing = createClient(BillingService, transport("billing"));

  const { account } = await accounts.createAccount({ name: "Demo" });
  const accountId = account?.id ?? "";
  await accounts.grantProduction({ accountId });
  const credit = { accountId, mode: Mode.LIVE, tokens: LIVE_TOKENS, reference: "demo" };
  await billing.recharge({ ...credit, note: "Demo Tokens" });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const [mode, file] of [
    [Mode.LIVE, liveKeyFile] as const,
    [Mode.TEST, testKeyFile] as const,
  ]) {
    const { secret } = await accounts.createKey({ accountId, mode, name: "Demo" });
    await writeFile(file, secret, { mode: 0o600 });
  }
  await writeFile(`${accountFile}.new`, accountId, { mode: 0o600 });
  await rename(`${accountFile}.new`, accountFile);
  return { accountId, liveKeyFile, testKeyFile };
}
