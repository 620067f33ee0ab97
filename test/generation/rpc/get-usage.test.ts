/** GetUsage and ListCharges: what counts, on which day, and for which spans. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { insertTasks } from "../../support/insert-tasks.ts";
import { refusalOf, useHarness } from "../fixture.ts";

const h = useHarness({ tokens: 0n });
const accountId = randomId("acct");

type UsageRow = {
  account?: string;
  mode?: string;
  status?: string;
  model?: string;
  key?: string;
  prompt?: string;
  endUser?: string;
  at: string;
};

async function insert({
  account = accountId,
  mode = "test",
  status = "success",
  ...rest
}: UsageRow): Promise<string> {
  const id = randomId("vgen");
  const { model = "beta-3.0-video", key = null, at } = rest;
  const completedAt = status === "processing" ? null : at;
  const input = { prompt: rest.prompt ?? "", ...(rest.endUser && { end_user: rest.endUser }) };
  await h.sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens,
      attempt, status, key_id, created_at, completed_at)
    values (${account}, ${id}, 'video', ${mode}, ${model}, ${h.sql.json(input)}, '{}', 100,
      1, ${status}, ${key}, ${at}, ${completedAt})`;
  if (completedAt === null) await insertTasks(h.sql, "poll");
  return id;
}

const span = (from: string, to: string) => ({
  mode: Mode.TEST,
  from: timestampFromDate(new Date(from)),
  to: timestampFromDate(new Date(to)),
});

/** A page of charges in November's first week. */
const charges = (account: string, more: { limit?: number; after?: string } = {}) =>
  h.client.listCharges({
    accountId: account,
    ...span("2026-11-01T00:00:00Z", "2026-11-08T00:00:00Z"),
    limit: 100,
    ...more,
  });

async function usage(from: string, to: string, more: { groupBy?: UsageGroup } = {}) {
  return (await h.client.getUsage({ accountId, ...span(from, to), ...more })).usage;
}

describe("GetUsage", () => {
  it("sums the charged Tokens by day and model: successes of this account and mode only", async () => {
    await insert({ at: "2026-11-20T00:00:00Z" });
    await insert({ at: "2026-11-20T23:59:59.999Z" });
    await insert({ at: "2026-11-21T00:00:00Z", model: "alpha-2.0" });
    await insert({ at: "2026-11-22T00:00:00Z" });
    await insert({ at: "2026-11-19T23:59:59.999Z" });
    await insert({ at: "2026-11-20T12:00:00Z", status: "failed" });
    await insert({ at: "2026-11-20T12:00:00Z", mode: "live" });
    await insert({ at: "2026-11-20T12:00:00Z", account: randomId("acct") });
    const days = await usage("2026-11-20T00:00:00Z", "2026-11-22T00:00:00Z");
    expect(days.map((one) => [one.date, one.model, one.tokens, one.generations])).toEqual([
      ["2026-11-20", "beta-3.0-video", 200n, 2n],
      ["2026-11-21", "alpha-2.0", 100n, 1n],
    ]);
  });

  it("sums what is charged and what is still held by day, model or key", async () => {
    const key = randomId("key");
    const [first, second] = ["2026-10-01T10:00:00Z", "2026-10-02T10:00:00Z"];
    await insert({ at: first, key });
    await insert({ at: first, key, status: "processing" });
    await insert({ at: second, key, status: "canceled" });
    await insert({ at: second, model: "alpha-2.0" });
    const by = async (groupBy: UsageGroup) => {
      const rows = await usage("2026-10-01T00:00:00Z", "2026-10-03T00:00:00Z", { groupBy });
      return rows.map(({ date, model, keyId, tokens, reserved, generations }) =>
        [date, model, keyId, tokens, reserved, generations].filter((value) => value !== ""),
      );
    };
    expect(await by(UsageGroup.DAY)).toEqual([
      ["2026-10-01", 100n, 100n, 1n],
      ["2026-10-02", 100n, 0n, 1n],
    ]);
    expect(await by(UsageGroup.MODEL)).toEqual([
      ["alpha-2.0", 100n, 0n, 1n],
      ["beta-3.0-video", 100n, 100n, 1n],
    ]);
    expect(await by(UsageGroup.KEY)).toEqual([
      [100n, 0n, 1n],
      [key, 100n, 100n, 1n],
    ]);
  });

  it("refuses a span that is empty or longer than 92 days", async () => {
    for (const to of ["2026-01-01T00:00:00Z", "2026-04-03T00:00:00.001Z"]) {
      expect(await refusalOf(usage("2026-01-01T00:00:00Z", to))).toBe(ErrorReason.INVALID_FIELD);
    }
    expect(await usage("2026-01-01T00:00:00Z", "2026-04-03T00:00:00Z")).toEqual([]);
  });
});

describe("ListCharges", () => {
  it("pages through what was charged, the last first, with prompt, key, end user and price", async () => {
    const account = randomId("acct");
    const key = randomId("key");
    const day = (number: number) => `2026-11-0${number}T12:00:00Z`;
    const prompt = "p".repeat(300);
    const ids = [
      await insert({ account, at: day(4), prompt, key, endUser: "customer-1" }),
      await insert({ account, at: day(3) }),
      await insert({ account, at: day(2) }),
    ];
    await insert({ account, at: day(5), status: "failed" });
    await insert({ account, at: day(5), mode: "live" });
    await insert({ account, at: day(8) });
    await insert({ at: day(5) });
    const first = await charges(account, { limit: 2 });
    expect(first).toMatchObject({
      hasMore: true,
      charges: [
        {
          generationId: ids[0],
          prompt: "p".repeat(200),
          keyId: key,
          endUser: "customer-1",
          tokens: 100n,
        },
        { generationId: ids[1], prompt: "", keyId: "", endUser: "" },
      ],
    });
    const rest = await charges(account, { limit: 2, after: ids[1] ?? "" });
    expect([rest.hasMore, rest.charges.map(({ generationId }) => generationId)]).toEqual([
      false,
      ids.slice(2),
    ]);
  });

  it("refuses a cursor that is not in the list", async () => {
    const failed = await insert({ at: "2026-11-05T00:00:00Z", status: "failed" });
    for (const after of [failed, randomId("vgen"), "x"]) {
      expect(await refusalOf(charges(accountId, { after }))).toBe(ErrorReason.NOT_FOUND);
    }
  });
});
