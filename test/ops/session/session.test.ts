/** Whom the command line calls when a service has several addresses, and what it says to one that does not know a call. */
import { readFile, writeFile } from "node:fs/promises";
import { Gauge, Registry } from "prom-client";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { VERSION } from "#runtime/version.ts";
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

it.each([
  [
    "0.0.9",
    `billing does not know the call ListOpenHolds: it runs release 0.0.9, this ops is of release ${VERSION}. ` +
      "Use the ops of the release that billing runs, or replace its replicas first",
  ],
  [undefined, "it runs a release that it does not tell, this ops is of"],
  // The address is doubted where the service is of the same release.
  [VERSION, "look whether OPS_ENDPOINTS_FILE has another service's"],
])("says of a service of release %s that it does not know a call", async (version, says) => {
  const metrics = new Registry();
  const labelNames = ["service", "version"] as const;
  const info = { name: "media_build_info", help: "release", labelNames, registers: [metrics] };
  if (version !== undefined) new Gauge(info).set({ service: "billing", version }, 1);
  await using services = await opsEndpoints(() => {}, { metrics });
  using session = openSession(services.env);
  await expect(session.billing.listOpenHolds({})).rejects.toThrow(says);
});
