/** The demo account of a data folder: production access, Tokens, a live and a test key, and a dashboard user. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Env } from "#runtime/env.ts";
import { openSession, type Session } from "../ops/session/session.ts";
import { readIfThere } from "../ops/setup/identities.ts";
import { readOrCreateSecret, replaceFile } from "./data-folder/secrets.ts";

const LIVE_TOKENS = 100_000n;
/** The services load and compile what they use with their first calls, on a machine that may be slow and busy. */
const FIRST_CALL_MS = 60_000;
const REPEAT_MS = 100;

const EMAIL = "demo@example.com";

/** Creates the account at the first start, as the operator of `ops`; later starts read it from `directory`. */
export async function openDemo(directory: string, ops: Env) {
  const accountFile = join(directory, "account-id");
  const files = {
    liveKeyFile: join(directory, "live-key"),
    testKeyFile: join(directory, "test-key"),
    passwordFile: join(directory, "password"),
  };
  const { passwordFile } = files;
  const storedId = await readIfThere(accountFile);
  const hasUser = await readIfThere(passwordFile);
  if (storedId !== undefined && hasUser !== undefined) {
    return { accountId: storedId.trim(), email: EMAIL, ...files };
  }

  using session = openSession(ops, FIRST_CALL_MS);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const accountId = storedId?.trim() ?? (await createAccount(session, files));
  await replaceFile(accountFile, accountId);
  const password = await readOrCreateSecret(`${passwordFile}.new`);
  const user = { accountId, email: EMAIL, name: "Demo", password };
  // A process that compiles what it needs to hash the password may seem lost, each of several in its turn. The user is
  // created once.
  await untilAvailable(() => session.accounts.createUser(user));
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
  { accounts, billing }: Session,
  { liveKeyFile, testKeyFile }: Record<"liveKeyFile" | "testKeyFile", string>,
): Promise<string> {
  const { account } = await accounts.createAccount({ name: "Demo" });
  const accountId = account?.id ?? "";
  await accounts.grantProduction({ accountId });
  const credit = { accountId, mode: Mode.LIVE, tokens: LIVE_TOKENS, reference: "demo" };
  await billing.recharge({ ...credit, note: "Demo Tokens" });
  const createKey = async (mode: Mode, file: string) => {
    const { secret } = await accounts.createKey({ accountId, mode, name: "Demo" });
    await writeFile(file, secret, { mode: 0o600 });
  };
  await createKey(Mode.LIVE, liveKeyFile);
  await createKey(Mode.TEST, testKeyFile);
  return accountId;
}
