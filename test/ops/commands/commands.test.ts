/** What commands ask services for, and what they print; audits and tries of upstreams have files of their own. */
import { timestampFromDate, timestampNow, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { runOpsHere } from "../../support/operator.ts";
import { first, OF, ops, rowsOf } from "./run-command.ts";

/** What services were asked for, in turn. */
const asked: unknown[] = [];
beforeEach(() => void (asked.length = 0));

function note<T>(what: unknown, answer: T): T {
  asked.push(what);
  return answer;
}

describe("limits of what is stored", () => {
  const setLimit = (bytes: string) =>
    ops(`asset limit ${OF} --mode test --json --bytes ${bytes}`, {
      delivery: {
        setStorageLimit: ({ mode, limitBytes }) =>
          note(limitBytes, { storage: { mode, usedBytes: 7n, ...(limitBytes && { limitBytes }) } }),
      },
    });

  it.each([
    ["5000", 5_000n, '"limit_bytes": 5000'],
    ["NONE", 0n, '"limit_bytes": "none"'],
    ["default", undefined, '"stored_bytes": 7'],
  ])("sets %s", async (bytes, limit, shown) => {
    const { code, stdout } = await setLimit(bytes);
    expect({ code, asked }).toEqual({ code: 0, asked: [limit] });
    expect(stdout.replaceAll(/":\s*/g, '": ')).toContain(shown);
  });

  it.each(["0", "-1", "1GB"])("refuses %s, and says what is allowed", async (bytes) => {
    const { code, stderr } = await setLimit(bytes);
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(stderr).toContain('a whole number, 1 or more, or "none", or "default"');
  });

  it.each([
    ["asset retention", "delivery"],
    ["retention set", "generation"],
  ])("%s takes days, and forever", async (command, service) => {
    const setRetention = ({ days }: { days?: number }) => note(days, {});
    for (const days of ["30", "forever"])
      await rowsOf(`${command} ${OF} --days ${days}`, { [service]: { setRetention } });
    expect(asked).toEqual([30, undefined]);
  });
});

it.each(["discount set --basis-points 1500 --model", "key create --models"])(
  "%s is refused for a model that the catalog does not have, and names those that it has",
  async (command) => {
    const has = {
      generation: { listModels: () => ({ models: [{ id: "first" }, { id: "second" }] }) },
      billing: { setDiscount: () => note(command, {}) },
      accounts: { createKey: () => note(command, { key: {} }) },
    };
    const stderr = 'ops: there is no model "frist"; the models are first, second\n';
    expect(await ops(`${command} frist ${OF}`, has)).toEqual({ code: 2, stdout: "", stderr });
    expect(await ops(`${command} first ${OF}`, has)).toMatchObject({ code: 0 });
    expect(asked).toEqual([command]);
  },
);

describe("a discount", () => {
  const setDiscount = (options: string) =>
    ops(`discount set ${OF} ${options}`, {
      generation: { listModels: () => ({ models: [{ id: "first" }, { id: "second" }] }) },
      billing: {
        setDiscount: ({ discount }) => note(discount?.model, discount ? { discount } : {}),
      },
    });

  it("takes the time from which it applies only as a whole time", async () => {
    for (const from of ["24h", "2026-12-01T00:00:00"])
      expect(await setDiscount(`--basis-points 5 --from ${from}`)).toMatchObject({ code: 2 });
    expect(asked).toEqual([]);
  });

  it.each([
    ["of a model", "--model second --basis-points 1500", "second"],
    ["of all models", "--basis-points 1500", ""],
    ["that ends an earlier one of no model", "--model frist --basis-points 0", "frist"],
  ])("%s is set", async (_what, options, model) => {
    expect(await setDiscount(options)).toMatchObject({ code: 0 });
    expect(asked).toEqual([model]);
  });
});

const url = "https://a.example/x";
type OfUrl = { accountId: string; mode: Mode; url: string };

it.each([
  ["disable", "of no webhook yet", {}],
  ["enable", "that is disabled", { listDisabledUrls: () => ({ urls: [{ url }] }) }],
  ["enable", "with a held delivery", { listDeliveries: () => ({ deliveries: [{ url }] }) }],
])("webhook %s takes a URL %s, in the account's audit log", async (command, _which, answers) => {
  const changed = (of: OfUrl) => note([of.accountId, of.mode, of.url], {});
  const delivery = {
    listDisabledUrls: () => ({}),
    listDeliveries: () => ({}),
    disableUrl: changed,
    enableUrl: changed,
    ...answers,
  };
  const accounts = { recordAction: ({ action }: { action: string }) => note(action, {}) };
  const printed = await rowsOf(`webhook ${command} --url ${url} ${OF}`, { delivery, accounts });
  expect(printed).toEqual({ url, mode: "live", ...(command === "enable" && { resumed: 0 }) });
  expect(asked).toEqual([`webhook_url.${command}`, [first, Mode.LIVE, url]]);
});

describe("what changes nothing is said, ends with 1, and leaves no entry in the audit log:", () => {
  it.each([
    [`webhook enable ${OF} --mode TEST --url ${url}`, "this URL is not disabled in test mode"],
    [`webhook disable ${OF} --url ${url}/off`, "this URL is disabled already in live mode"],
    [`webhook rotate ${OF} --replaces 1`, "the newest secret has version 2: not rotated"],
    [`account restore ${OF}`, "the account is not deleted, but suspended: ops account unsuspend"],
  ])("%s", async (command, says) => {
    const { code, stderr } = await ops(command, {
      delivery: {
        // A delivery of the last release answers so, whatever URL is asked for.
        listDisabledUrls: () => ({ urls: [{ url: `${url}/off` }] }),
        listDeliveries: () => ({}),
        getWebhookSecret: () => ({ version: 2 }),
      },
      accounts: {
        getAccount: () => ({ account: { suspendedAt: timestampFromDate(new Date()) } }),
        recordAction: (entry) => note(entry, {}),
      },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`ops: ${says}`)]);
    expect(asked).toEqual([]);
  });
});

it.each([
  ["--day-tokens 5", 5, 70],
  ["--month-tokens 0", "none", "none"],
  ["--day-tokens 0 --month-tokens 7", "none", 7],
])(
  "a key keeps the limit that %s leaves out, if it is a live key of the account",
  async (options, day, month) => {
    const id = randomId("key");
    const monthTokens = options.includes("day") ? 70n : undefined;
    const limit = (mode: Mode, text = options, revokedAt?: Timestamp) =>
      ops(`key limits ${OF} --key ${id} ${text} --json`, {
        billing: { setTokenLimits: () => ({}) },
        accounts: { listKeys: () => ({ keys: [{ id, mode, monthTokens, revokedAt }] }) },
      });
    const limits = { account_id: first, key_id: id, day_tokens: day, month_tokens: month };
    expect(JSON.parse((await limit(Mode.LIVE)).stdout)).toEqual(limits);
    expect(await limit(Mode.TEST)).toMatchObject({ code: 2 });
    expect(await limit(Mode.LIVE, "")).toMatchObject({ code: 2 });
    expect(await limit(Mode.LIVE, options, timestampNow())).toMatchObject({ code: 1 });
  },
);

it("prints an empty list for programs where there is nothing", async () => {
  expect(await rowsOf("reconcile", { generation: { reconcile: () => ({}) } })).toEqual([]);
});

describe("rows", () => {
  it("show how many Tokens an application asks for", async () => {
    const requests = [{ id: "ask_1", accountId: first, tokens: 777n }];
    const accounts = { listAccountRequests: () => ({ requests }) };
    const printed = await rowsOf("application list", { accounts });
    expect(printed).toMatchObject([{ id: "ask_1", tokens: 777 }]);
  });

  it.each([
    ["due", "makeTaskDue", "task.make_due", { status: Status.PENDING }, { status: "pending" }],
    ["fail", "failTask", "task.fail", { error: { code: "internal" } }, { error: "internal" }],
  ] as const)(
    "has a task %s, in the audit log of the account that it belongs to",
    async (verb, rpc, action, task, shown) => {
      const id = randomId("vgen");
      const printed = await rowsOf(`generation ${verb} ${id}`, {
        generation: {
          getTask: ({ generationId }) => ({ task: { id: generationId, accountId: first } }),
          [rpc]: ({ generationId }: { generationId: string }) =>
            note(generationId, { task: { id, ...task } }),
        },
        accounts: { recordAction: (recorded) => note([recorded.action, recorded.accountId], {}) },
      });
      expect(printed).toMatchObject({ id, ...shown });
      expect(asked).toEqual([[action, first], id]);
    },
  );

  it("lists the users of an account page by page", async () => {
    const disabledAt = timestampFromDate(new Date("2026-11-20T00:00:00Z"));
    const printed = await rowsOf(`user list ${OF}`, {
      accounts: {
        listUsers: ({ after, accountId: account = "" }) =>
          after === undefined
            ? { users: [{ id: "a", email: "a@example.com", accountIds: [account] }], hasMore: true }
            : { users: [{ id: `${after}b`, email: "b@example.com", disabledAt }] },
      },
    });
    expect(printed).toMatchObject([
      { id: "a", email: "a@example.com", accounts: [first], disabled_at: null },
      { id: "ab", email: "b@example.com", disabled_at: "2026-11-20T00:00:00.000Z" },
    ]);
  });

  it("shows a month's changes of available, and what was charged", async () => {
    const lines = [
      { type: TransactionType.CAPTURE, count: 1n, tokens: -40n, available: 2n },
      { type: TransactionType.RESERVE, count: 1n, tokens: 0n, available: -42n },
    ];
    const getStatement = () => ({ openingAvailable: 100n, lines, closingAvailable: 60n });
    const printed = await rowsOf(`statement --month 2026-11 ${OF}`, { billing: { getStatement } });
    expect(printed).toEqual([
      { line: "opening balance", count: null, tokens: 100, charged: null },
      { line: "capture", count: 1, tokens: 2, charged: 40 },
      { line: "reserve", count: 1, tokens: -42, charged: null },
      { line: "closing balance", count: null, tokens: 60, charged: null },
    ]);
  });
});

it.each([
  ["balance --account acct_nope", "--account: must be an id: acct_ and 26 more characters"],
  ["generation show vgen_nope", "<id>: must be an id: vgen_ or igen_ and 26 more characters"],
  ["account create --name=", "--name: must not be empty"],
  [`adjust ${OF} --tokens 0 --reason r`, "--tokens: 0 corrects nothing"],
  [`discount set ${OF} --basis-points 20000`, "--basis-points: must be"],
  [`key create ${OF} --kinds VIDEO,sound`, "--kinds: must be video or image"],
  [`user create ${OF} --name A --email ada`, "--email: must be an address such as ada@example.com"],
  [`webhook deliveries ${OF} --generation xx`, "--generation: must be an id: vgen_ or igen_ and"],
  [`recharge ${OF} --reference r --tokens 1000000000000001`, "--tokens: must be"],
  [`webhook disable ${OF} --url a.example/x`, "--url: must be a complete URL"],
  [`key revoke ${OF} --key mgs_live_Ab1`, "--key: must be an id: key_ and 26 more characters"],
  [`key revoke ${OF} mgs_live_Ab1`, '"mgs_live_…" belongs to an option (--account, --key)'],
])("exits with 2 and names the option whose value a service refuses: %j", async (command, says) => {
  const { code, stderr } = await ops(command);
  expect(stderr).toContain(`ops: ${says}`);
  expect([code, stderr.trim().split("\n").length]).toEqual([2, 1]);
});

/** How a command ends that asks no service: this test has no operator's configuration. */
const without = (command: string) => runOpsHere({}, command.split(" "));

describe("a recharge that is repeated by mistake must not credit twice unnoticed: it", () => {
  it.each([
    [" --reference=", "--no-reference"],
    [" --reference 1", "configuration"],
    [" --no-reference", "configuration"],
  ])("asks for a reference, and goes on with one or none at all: %j", async (option, says) => {
    expect((await without(`recharge ${OF} --tokens 5${option}`)).stderr).toContain(says);
  });
});

it.each([...SERVICES.map((name) => [name, "own keys"]), ["billing-reports", "configuration"]])(
  "a service token is for no service, which signs with its own key, but for a team: %s",
  async (caller, says) => {
    const { stderr } = await without(`service-token --caller ${caller} --service billing`);
    expect(stderr).toContain(says);
  },
);
