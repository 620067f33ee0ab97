/** Whom the command line calls when a service has several addresses, and what it says of one that does not know a call. */
import { readFile, writeFile } from "node:fs/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { openSession } from "../../../services/ops/session/session.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { runOpsHere } from "../../support/operator.ts";
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

it("names the service that cannot be reached or does not trust the key, and what to look at", async () => {
  await using services = await opsEndpoints((router) =>
    router.service(AccountService, {
      listAccounts: () => {
        throw new ConnectError("a valid service token is required", Code.Unauthenticated);
      },
    }),
  );
  const refused = await runOpsHere(services.env, ["account", "list"]);
  expect(refused.output).toContain("ops: gateway does not trust this key: is OPS_KEY_FILE");
  const path = services.env.OPS_ENDPOINTS_FILE;
  const gateway = `http://127.0.0.1:${await freePort()}`;
  const endpoints = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...endpoints, gateway }));
  const { output } = await runOpsHere(services.env, ["account", "list"]);
  expect(output).toMatch(/^ops: gateway: no replica can be reached.*; see "ops status"\n$/);
});

it("says of a call that a service does not know that another release runs", async () => {
  await using services = await opsEndpoints(() => {});
  const { output } = await runOpsHere(services.env, ["account", "list"]);
  expect(output).toContain("ops: the service does not know this call: use the ops of the release");
});
