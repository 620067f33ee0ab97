/** What an account reads: the order, pages and filters of its lists and searches, its end users, usage and charges. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status, UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf, reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { inContext } from "#runtime/work-context.ts";
import { addMs } from "#runtime/clock.ts";
import { insertTasks } from "../../support/insert-tasks.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { refusalOf, useHarness } from "../fixture.ts";
import { jobOf } from "../../../services/generation/domain/job.ts";

const h = useHarness({ tokens: 2_000n });
let accountId: string;
/** Newest first. */
const created: { id: string; at: Date }[] = [];
beforeAll(async () => {
  accountId = await h.account(100_000n);
  for (let i = 0; i < 7; i++) {
    h.clock.advance(1_000);
    const model = i % 2 === 0 ? "alpha-2.0" : "beta-3.0-video";
    const { generationId } = await h.createVideo({ accountId, model });
    created.unshift({ id: generationId, at: h.clock.now() });
  }
});

const list = () => ({ accountId, mode: Mode.LIVE, kind: Kind.VIDEO });
const idsOf = async (filter: object) => {
  const answer = await h.client.listGenerations({ ...list(), limit: 100, ...filter });
  return answer.generations.map(({ id }) => id);
};

describe("a list of generations", () => {
  it("is newest first and pages without a gap or a repetition", async () => {
    const seen: string[] = [];
    let hasMore = true;
    while (hasMore) {
      const after = seen.at(-1);
      const request = { ...list(), limit: 3, ...(after === undefined ? {} : { after }) };
      const page = await h.client.listGenerations(request);
      seen.push(...page.generations.map(({ id }) => id));
      ({ hasMore } = page);
    }
    expect(seen).toEqual(created.map(({ id }) => id));
  });

  it("filters by model, status and time", async () => {
    const byModel = created.filter((_one, index) => index % 2 === 0).map(({ id }) => id);
    expect(await idsOf({ model: "alpha-2.0" })).toEqual(byModel);
    expect(await idsOf({ status: Status.SUCCESS })).toEqual([]);
    expect(await idsOf({ status: Status.PENDING })).toHaveLength(7);
    const [third, sixth] = [created[2]?.at ?? new Date(), created[5]?.at ?? new Date()];
    const between = {
      createdAfter: timestampFromDate(sixth),
      createdBefore: timestampFromDate(third),
    };
    expect(await idsOf(between)).toEqual([created[3]?.id, created[4]?.id]);
  });

  it("shows only the generations of its account, mode and kind", async () => {
    expect(await idsOf({ accountId: randomId("acct") })).toEqual([]);
    expect(await idsOf({ mode: Mode.TEST })).toEqual([]);
    expect(await idsOf({ kind: Kind.IMAGE })).toEqual([]);
  });

  it("that have ended is found for many names at once, and where the others stand, each within its account", async () => {
    const [ended, running] = created.map(({ id }) => id);
    await h.withWorkers(() => h.client.cancelGeneration({ ...list(), generationId: ended ?? "" }));
    const names = [
      { accountId, generationId: ended ?? "" },
      { accountId, generationId: running ?? "" },
      { accountId: randomId("acct"), generationId: ended ?? "" },
      { accountId, generationId: "nonsense" },
    ];
    expect((await h.client.findEnded({ generations: names })).generationIds).toEqual([ended]);
    expect((await h.client.findEnded({})).generationIds).toEqual([]);
    await h.sql`update generation.tasks set progress = 40 where id = ${running ?? ""}`;
    const both = await h.client.findEnded({ generations: names, withStates: true });
    expect(both).toMatchObject({
      generationIds: [ended],
      states: [{ generationId: running, status: Status.PROCESSING, progress: 40 }],
    });
  });

  it("refuses a cursor that is not in the list, naming the field", async () => {
    const error: unknown = await idsOf({ after: randomId("vgen") }).catch(
      (cause: unknown) => cause,
    );
    expect(reasonOf(error)).toBe(ErrorReason.NOT_FOUND);
    expect(faultsOf(error)[0]?.field).toBe("after");
  });
});

const KEY = randomId("key");
const requestIdOf = (number: number) => `job-of-shop-${number}`;
let searcher: string;
/** Newest first: a video and an image in turn, every third with a key. */
const mixed: { id: string; at: Date }[] = [];

beforeAll(async () => {
  searcher = await h.account(100_000n);
  for (let i = 0; i < 6; i++) {
    h.clock.advance(1_000);
    const isVideo = i % 2 === 0;
    const request = {
      accountId: searcher,
      mode: Mode.LIVE,
      generationId: randomId(isVideo ? "vgen" : "igen"),
      model: isVideo ? "alpha-2.0" : "gamma-image-3.0-pro",
      input: { prompt: `A Paper boat, number ${i}.`, metadata: { Order_Id: `Shop-"${i}\\7"` } },
      keyId: i % 3 === 0 ? KEY : "",
    };
    await inContext({ requestId: requestIdOf(i) }, () =>
      isVideo ? h.client.createVideo(request) : h.client.createImage(request),
    );
    mixed.unshift({ id: request.generationId, at: h.clock.now() });
  }
});

const search = async (filter: object) => {
  const list = { accountId: searcher, mode: Mode.LIVE, limit: 100 };
  const { generations, nextAfter, searchedBackTo } = await h.client.searchGenerations({
    ...list,
    ...filter,
  });
  const backTo = searchedBackTo && timestampDate(searchedBackTo);
  return { ids: generations.map(({ id }) => id), nextAfter, backTo };
};
const idsAt = (...indexes: number[]) => indexes.map((index) => mixed[index]?.id);

describe("a search of generations", () => {
  it("finds both kinds, newest first, and pages without a gap or a repetition", async () => {
    const first = await search({ limit: 4 });
    expect(first).toEqual({
      ids: idsAt(0, 1, 2, 3),
      nextAfter: mixed[3]?.id,
      backTo: mixed[3]?.at,
    });
    const second = await search({ limit: 4, after: first.nextAfter });
    expect(second).toEqual({ ids: idsAt(4, 5), nextAfter: undefined, backTo: undefined });
  });

  it("finds by kind, status, time, all words, and by key or its absence", async () => {
    expect((await search({ kind: Kind.IMAGE })).ids).toEqual(idsAt(0, 2, 4));
    expect((await search({ status: Status.FAILED })).ids).toEqual([]);
    const createdBefore = timestampFromDate(mixed[3]?.at ?? new Date());
    expect((await search({ createdBefore })).ids).toEqual(idsAt(4, 5));
    expect((await search({ words: "  BOAT 4. paper" })).ids).toEqual(idsAt(1));
    expect((await search({ words: "boat%" })).ids).toEqual([]);
    expect((await search({ words: 'order_id shop-"4\\7" BOAT' })).ids).toEqual(idsAt(1));
    expect((await search({ words: requestIdOf(3) })).ids).toEqual(idsAt(2));
    expect((await search({ words: requestIdOf(3).slice(1) })).ids).toEqual([]);
    expect((await search({ keyId: KEY })).ids).toEqual(idsAt(2, 5));
    expect((await search({ keyId: "", limit: 3 })).ids).toEqual(idsAt(0, 1, 3));
    expect((await search({ accountId: randomId("acct") })).ids).toEqual([]);
  });

  it("is for the first ten different words", async () => {
    const ten = "a p pa pap pape paper b bo boa boat";
    expect((await search({ words: `${ten} absent` })).ids).toEqual(idsAt(0, 1, 2, 3, 4, 5));
    expect((await search({ words: `${"boat ".repeat(10)} absent` })).ids).toEqual([]);
  });

  it("of an account runs one at a time, so that it leaves connections to Postgres to others", async () => {
    const locked = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const lock = h.sql.begin(async (tx) => {
      await tx`lock table generation.generations in access exclusive mode`;
      locked.resolve();
      await finish.promise;
    });
    await locked.promise;
    const mine = Array.from({ length: 5 }, () => search({ words: "boat" }));
    await expect.poll(() => waitingSessions(h.sql)).toBe(1);
    const others = search({ accountId, words: "boat" });
    await expect.poll(() => waitingSessions(h.sql)).toBe(2);
    finish.resolve();
    await Promise.all([lock, others]);
    for (const { ids } of await Promise.all(mine)) expect(ids).toHaveLength(6);
  });
});

const createFor = (endUser?: string, account = h.accountId) =>
  h.createVideo({ accountId: account, input: endUser === undefined ? {} : { endUser } });

async function usageByUser() {
  const { usage } = await h.client.getUsage({
    accountId: h.accountId,
    mode: Mode.LIVE,
    from: timestampFromDate(addMs(h.clock.now(), -86_400_000)),
    to: timestampFromDate(addMs(h.clock.now(), 1_000)),
    groupBy: UsageGroup.END_USER,
  });
  return usage.map(({ endUser, tokens, reserved }) => [endUser, tokens, reserved]);
}

describe("an end user", () => {
  it("filters lists, groups usage, and goes with the generation that is deleted", async () => {
    const ann = await createFor("ann");
    h.clock.advance(1_000);
    const bob = await createFor("bob");
    await createFor();
    const listed = async (endUser: string) => {
      const request = {
        accountId: h.accountId,
        mode: Mode.LIVE,
        kind: Kind.VIDEO,
        limit: 10,
        endUser,
      };
      return (await h.client.listGenerations(request)).generations.map(({ id }) => id);
    };
    expect(await listed("ann")).toEqual([ann.generationId]);
    expect(await listed("bob")).toEqual([bob.generationId]);
    for (const nobody of ["an", ""]) expect(await listed(nobody)).toEqual([]);
    expect((await usageByUser()).map(([user]) => user)).toEqual(["", "ann", "bob"]);
    for (let i = 0; i < 5; i++) await h.after(60_000);
    await ann.remove();
    await h.drain();
    expect(await usageByUser()).toEqual([
      ["", 420n, 0n],
      ["bob", 210n, 0n],
    ]);
  });

  it("is told upstreams by a hash only, another for each user and account, and else for the account", async () => {
    const fields = { upstreamModel: "m", parameters: {} };
    const named = async (endUser?: string, account?: string) => {
      const { accountId: owner, generationId: id } = await createFor(endUser, account);
      const row = await h.deps.find(owner, id);
      return row && jobOf(row, "token", h.deps.catalog, fields).endUser;
    };
    const ann = await named("ann");
    const [again, bob, none] = [await named("ann"), await named("bob"), await named()];
    const elsewhere = await named("ann", await h.account(1_000n));
    expect(again).toBe(ann);
    expect(new Set([ann, bob, elsewhere, none]).size).toBe(4);
    for (const one of [ann, bob, elsewhere, none]) expect(one).toMatch(/^[0-9a-f]{32}$/);
  });
});

const spender = randomId("acct");

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
  account = spender,
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
  return (await h.client.getUsage({ accountId: spender, ...span(from, to), ...more })).usage;
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
      expect(await refusalOf(charges(spender, { after }))).toBe(ErrorReason.NOT_FOUND);
    }
  });
});
