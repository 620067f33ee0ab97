/** The demo account of a data folder: production access, Tokens, a live and a test key, and a dashboard user. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError, createClient, type Client, type Transport } from "@connectrpc/connect";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { type ServiceKey, tokenInterceptor } from "#runtime/rpc/service-token.ts";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import { auditInterceptor } from "../ops/session/audit.ts";
import { readOrCreateSecret, replaceFile } from "./data-folder/secrets.ts";

const LIVE_TOKENS = 100_000n;
/** The services load and compile what they use with their first calls, on a machine that may be slow and busy. */
const FIRST_CALL_MS = 60_000;
const REPEAT_MS = 100;

const EMAIL = "demo@example.com";

/** Creates the account at the first start; later starts read it from `directory`. */
export async function openDemo(
  directory: string,
  rpcUrls: Record<ServiceName, PeerUrls>,
  opsKey: ServiceKey,
) {
  const accountFile = join(directory, "account-id");
  const files = {
    liveKeyFile: join(directory, "live-key"),
    testKeyFile: join(directory, "test-key"),
    passwordFile: join(directory, "password"),
  };
  const { passwordFile } = files;
  const storedId = await readFile(accountFile, "utf8").catch(() => undefined);
  const hasUser = await readFile(passwordFile, "utf8").catch(() => undefined);
  if (storedId !== undefined && hasUser !== undefined) {
    return { accountId: storedId.trim(), email: EMAIL, ...files };
  }

  using stack = new DisposableStack();
  const audit = auditInterceptor(() => accounts);
  const transport = (name: ServiceName): Transport => {
    const token = tokenInterceptor(opsKey, name, systemClock);
    const http = stack.use(overHttp(rpcUrls[name], [audit, token]));
    return {
      ...http,
      unary: (method, signal, timeoutMs = FIRST_CALL_MS, ...rest) =>
        http.unary(method, signal, timeoutMs, ...rest),
    };
  };
  const accounts = createClient(AccountService, transport("gateway"));
  const billing = createClient(BillingService, transport("billing"));

  await mkdir(directory, { recursive: true, mode: 0o700 });
  const accountId = storedId?.trim() ?? (await createAccount(accounts, billing, files));
  await replaceFile(accountFile, accountId);
  const password = await readOrCreateSecret(`${passwordFile}.new`);
  const createUser = () => accounts.createUser({ accountId, email: EMAIL, name: "Demo", password });
  // A process that compiles what it needs to hash the password may seem lost, each of several in its turn. The user is
  // created once.
  await untilAvailable(createUser);
  await rename(`${passwordFile}.new`, passwordFile);
  return { accountId, email: EMAIL, ...files };
}

async function untilAvailable(call: () => Promise<unknown>): Promise<void> {
  const untilMs = systemClock.monotonicMs() + FIRST_CALL_MS;
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      const isUnavailable = ConnectError.from(error).code === Code.Unavailable;
      if (!isUnavailable || systemClock.monotonicMs() > untilMs) throw error;
      await systemClock.sleep(REPEAT_MS);
    }
  }
}

async function createAccount(
  accounts: Client<typeof AccountService>,
  billing: Client<typeof BillingService>,
  { liveKeyFile, testKeyFile }: Record<"liveKeyFile" | "testKeyFile", string>,
): Promise<string> {
  const { account } = await accounts.createAccount({ name: "Demo" });
  const accountId = account?.id ?? "";
  await accounts.grantProduction({ accountId });
  const credit = { accountId, mode: Mode.LIVE, tokens: LIVE_TOKENS, reference: "demo" };
  await billing.recharge({ ...credit, note: "Demo Tokens" });
  const keyFiles = [
    [Mode.LIVE, liveKeyFile],
    [Mode.TEST, testKeyFile],
  ] as const;
  for (const [mode, file] of keyFiles) {
    const { secret } = await accounts.createKey({ accountId, mode, name: "Demo" });
    await writeFile(file, secret, { mode: 0o600 });
  }
  return accountId;
}
