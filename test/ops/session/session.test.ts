/** Whom the command line calls when a service has several addresses. */
import { readFile, writeFile } from "node:fs/promises";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { openSession } from "../../../services/ops/session/session.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";

it("calls another replica when the first cannot be reached", async () => {
  await using services = await opsEndpoints((router) => {
    router.service(AccountService, { listAccounts: () => ({}) });
    router.service(BillingService, { getBalance: () => ({}) });
  });
  const path = services.env.OPS_ENDPOINTS_FILE;
  const endpoints = JSON.parse(await readFile(path, "utf8")) as { billing: string };
  const billing = [`http://127.0.0.1:${await freePort()}`, endpoints.billing];
  await writeFile(path, JSON.stringify({ ...endpoints, billing }));
  using session = openSession(services.env);
  await expect(session.billing.getBalance({})).resolves.toBeDefined();
  await expect(session.accounts.listAccounts({})).resolves.toBeDefined();
});
