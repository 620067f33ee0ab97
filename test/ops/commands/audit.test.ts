/** `ops audit` says what it has found, also when it has found nothing. */
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#vocabulary/names.ts";
import { newAccountId } from "../../support/account.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";
import { runOpsHere } from "../../support/operator.ts";

const ids = [newAccountId(), newAccountId(), newAccountId()].toSorted();
const [first = "", second = "", third = ""] = ids;

const DIFFERENCE = { what: "spent of the balance", expected: "5", found: "6" };

/** What billing answers, by account and mode. */
const wrong = new Map<string, () => object>();
beforeEach(() => wrong.clear());

/** A gateway whose pages have one account each, and a billing where each balance has 3 entries. */
async function audit(...args: string[]) {
  await using services = await opsEndpoints((router) => {
    router.service(AccountService, {
      getAccount: () => ({}),
      listAccounts: ({ after }) => {
        const [id = "", ...more] = ids.filter((one) => after === undefined || one > after);
        return { accounts: [{ id }], hasMore: more.length > 0 };
      },
    });
    router.service(BillingService, {
      auditAccount: ({ accountId, mode }) =>
        wrong.get(`${accountId} ${modeName(mode)}`)?.() ?? { entries: 3n },
    });
  });
  return await runOpsHere(services.env, ["audit", ...args]);
}

it("says that a balance adds up, and of how many entries", async () => {
  expect(await audit("--account", first, "--mode", "live")).toEqual({
    code: 0,
    output: "adds up: 1 balance, 3 entries\n",
  });
});

it("audits every account in both modes", async () => {
  expect(await audit("--all")).toEqual({ code: 0, output: "adds up: 6 balances, 18 entries\n" });
});

it("names each difference with its account, also one that could not be audited, and fails", async () => {
  wrong.set(`${first} live`, () => {
    throw new ConnectError("too slow", Code.DeadlineExceeded);
  });
  wrong.set(`${third} live`, () => ({ entries: 4n, differences: [DIFFERENCE] }));
  const { code, output } = await audit("--all", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(output)).toEqual({
    balances: 6,
    entries: 16,
    differences: [
      {
        account_id: first,
        mode: "live",
        what: "could not be audited",
        expected: null,
        found: "too slow",
      },
      { account_id: third, mode: "live", ...DIFFERENCE },
    ],
  });
});

it("gives up when billing audits nothing", async () => {
  const fail = () => {
    throw new ConnectError("billing is down", Code.Internal);
  };
  for (const id of ids) for (const mode of ["live", "test"]) wrong.set(`${id} ${mode}`, fail);
  expect(await audit("--all")).toEqual({ code: 1, output: "ops: billing is down\n" });
});

it.each([[], ["--mode", "live"], ["--all", "--account", second]])(
  "asks for one balance or for all: %j %j %j",
  async (...args) => {
    expect(await audit(...args)).toEqual({ code: 2, output: expect.stringContaining("--all") });
  },
);
