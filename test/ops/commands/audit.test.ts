/** `ops audit`: whether balances are the sums of their entries. */
import { Code, ConnectError } from "@connectrpc/connect";
import { modeName } from "#vocabulary/names.ts";
import { first, ids, OF, ops, second, third } from "./run-command.ts";

describe("an audit", () => {
  const DIFFERENCE = { what: "spent of the balance", expected: "5", found: "6" };

  /** What billing answers, by account and mode. */
  const wrong = new Map<string, () => object>();
  beforeEach(() => wrong.clear());

  /** Before a gateway whose pages have one account each, and a billing where each balance has 3 entries. */
  const audit = (options: string) =>
    ops(`audit ${options}`, {
      billing: {
        auditAccount: ({ accountId, mode }) =>
          wrong.get(`${accountId} ${modeName(mode)}`)?.() ?? { entries: 3n },
      },
      accounts: {
        listAccounts: ({ after }) => {
          const [id = "", ...more] = ids.filter((one) => after === undefined || one > after);
          return { accounts: [{ id }], hasMore: more.length > 0 };
        },
      },
    });

  it.each([
    [`${OF} --mode live`, "adds up: 1 balance, 3 entries\n"],
    ["--all", "adds up: 6 balances, 18 entries\n"],
  ])("with %s says that all adds up, and of how many entries", async (options, stdout) => {
    expect(await audit(options)).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("names each difference with its account, also one that could not be audited, and fails", async () => {
    wrong.set(`${first} live`, () => {
      throw new ConnectError("too slow", Code.DeadlineExceeded);
    });
    wrong.set(`${third} live`, () => ({ entries: 4n, differences: [DIFFERENCE] }));
    const { code, stdout } = await audit("--all --json");
    const found = "billing: too slow; what was asked for may be done: look, then try again";
    const unread = { what: "could not be audited", expected: null, found };
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        balances: 6,
        entries: 16,
        differences: [
          { account_id: first, mode: "live", ...unread },
          { account_id: third, mode: "live", ...DIFFERENCE },
        ],
      },
    ]);
  });

  it("gives up when billing audits nothing", async () => {
    const fail = () => {
      throw new ConnectError("billing is down", Code.FailedPrecondition);
    };
    for (const id of ids) for (const mode of ["live", "test"]) wrong.set(`${id} ${mode}`, fail);
    const stderr = "ops: billing is down\n";
    expect(await audit("--all")).toEqual({ code: 1, stdout: "", stderr });
  });

  it.each(["--mode test", "--mode live", `--all --account ${second}`])(
    "asks for one balance or for all: %s",
    async (options) => {
      const stderr: unknown = expect.stringContaining("--all");
      expect(await audit(options)).toEqual({ code: 2, stdout: "", stderr });
    },
  );
});
