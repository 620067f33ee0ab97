/** Whom the command line calls when a service has several addresses. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import { openSession } from "../../../services/ops/session/session.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { serveRpc } from "../../support/rpc-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("calls another replica when the first cannot be reached", async () => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await temporaryFolder());
  const server = stack.use(
    await serveRpc((router) => {
      router.service(AccountService, { listAccounts: () => ({}) });
      router.service(BillingService, { getBalance: () => ({}) });
    }),
  );
  const env = { OPS_ENDPOINTS_FILE: join(folder, "endpoints"), OPS_KEY_FILE: join(folder, "key") };
  const { url } = server;
  const endpoints = {
    gateway: url,
    generation: url,
    billing: [`http://127.0.0.1:${await freePort()}`, url],
    delivery: url,
  };
  await writeFile(env.OPS_ENDPOINTS_FILE, JSON.stringify(endpoints));
  await writeFile(env.OPS_KEY_FILE, JSON.stringify((await generateIdentity("ops")).privateKey));
  const session = stack.use(openSession(env));
  await expect(session.billing.getBalance({})).resolves.toBeDefined();
  await expect(session.accounts.listAccounts({})).resolves.toBeDefined();
});
