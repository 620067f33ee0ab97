/** What commands of the table, and `statement`, ask for and print. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { newAccountId } from "../../support/account.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";
import { runOpsHere } from "../../support/operator.ts";

const accountId = newAccountId();

async function ops(command: string, routes: (router: ConnectRouter) => void): Promise<unknown> {
  await using services = await opsEndpoints(routes);
  const args = [...command.split(" "), "--account", accountId, "--json"];
  const { code, output } = await runOpsHere(services.env, args);
  expect({ code, output }).toMatchObject({ code: 0 });
  return JSON.parse(output);
}

it("disables a URL of an account and mode, in the account's audit log", async () => {
  const asked: unknown[] = [];
  const printed = await ops("webhook disable --url https://hooks.example/a", (router) => {
    router.service(AccountService, {
      getAccount: () => ({}),
      recordAction: ({ action }) => {
        asked.push(action);
        return {};
      },
    });
    router.service(DeliveryService, {
      disableUrl: (request) => {
        asked.push([request.accountId, request.mode, request.url]);
        return { wasDisabled: false };
      },
    });
  });
  const url = "https://hooks.example/a";
  expect(printed).toEqual({ url, was_disabled: false });
  expect(asked).toEqual(["webhook_url.disable", [accountId, Mode.LIVE, url]]);
});

it("lists the users of an account page by page", async () => {
  const disabledAt = timestampFromDate(new Date("2026-11-20T00:00:00Z"));
  const printed = await ops("user list", (router) => {
    router.service(AccountService, {
      getAccount: () => ({}),
      listUsers: ({ after, accountId: account = "" }) =>
        after === undefined
          ? { users: [{ id: "a", email: "a@example.com", accountIds: [account] }], hasMore: true }
          : { users: [{ id: `${after}b`, email: "b@example.com", disabledAt }] },
    });
  });
  expect(printed).toMatchObject([
    { id: "a", email: "a@example.com", accounts: accountId, disabled_at: null },
    { id: "ab", email: "b@example.com", disabled_at: "2026-11-20T00:00:00.000Z" },
  ]);
});

it("shows a month's changes of available, and what was charged", async () => {
  const printed = await ops("statement --month 2026-11", (router) => {
    router.service(AccountService, { getAccount: () => ({}) });
    router.service(BillingService, {
      getStatement: () => ({
        openingAvailable: 100n,
        lines: [
          { type: TransactionType.CAPTURE, count: 1n, tokens: -40n, available: 2n },
          { type: TransactionType.RESERVE, count: 1n, tokens: 0n, available: -42n },
        ],
        closingAvailable: 60n,
      }),
    });
  });
  expect(printed).toEqual([
    { line: "opening balance", count: null, tokens: 100, charged: null },
    { line: "capture", count: 1, tokens: 2, charged: 40 },
    { line: "reserve", count: 1, tokens: -42, charged: null },
    { line: "closing balance", count: null, tokens: 60, charged: null },
  ]);
});
