/** What an account reads: the order, pages and filters of its lists and searches, its end users, usage and charges. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status, UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf, reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { inContext } from "#runtime/work-context.ts";
import { addMs } from "#runtime/clock.ts";
import { insertTasks } from "../../support/insert-tasks.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { pendingCall, refusalOf, useHarness } from "../fixture.ts";
import { jobOf } from "../../../services/generation/domain/job.ts";

const h = useHarness({ tokens: 2_000n });
const KEY = randomId("key");
const requestIdOf = (number: number) => `job-of-shop-${number}`;
const MODELS = ["alpha-2.0", "gamma-image-3.0-pro", "beta-3.0-video", "gamma-image-3.0-pro"];
let accountId: string;
/** Newest first: an image and a video in turn, every third with a key. */
const made: { id: string; at: Date }[] = [];

beforeAll(async () => {
  accountId = await h.account(100_000n);
  for (let i = 0; i < 10; i++) {
    h.clock.advance(1_000);
    const isVideo = i % 2 === 0;
    const request = {
      accountId,
      mode: Mode.LIVE,
      generationId: randomId(isVideo ? "vgen" : "igen"),
      model: MODELS[i % MODELS.length] ?? "",
      input: { prompt: `A Paper boat, number ${i}.`, metadata: { Order_Id: `Shop-"${i}\\7"` } },
      keyId: i % 3 === 0 ? KEY : "",
    };
    await inContext({ requestId: requestIdOf(i) }, () =>
      isVideo ? h.client.createVideo(request) : h.client.createImage(request),
    );
    made.unshift({ id: request.generationId, at: h.clock.now() });
  }
});

const idsAt = (...indexes: number[]) => indexes.map((index) => made[index]?.id);
const timeOf = (index: number) => timestampFromDate(made[index]?.at ?? new Date());

const list = async (filter: object) => {
  const request = { accountId, mode: Mode.LIVE, kind: Kind.VIDEO, limit: 100, ...filter };
  const { generations, hasMore } = await h.client.listGenerations(request);
  return { ids: generations.map(({ id }) => id), hasMore };
};

describe("a list of generations", () => {
  it("is newest first and pages without a gap or a repetition", async () => {
    const [first, second, third, fourth, fifth] = idsAt(1, 3, 5, 7, 9);
    expect(await list({ limit: 2 })).toEqual({ ids: [first, second], hasMore: true });
    expect(await list({ limit: 2, after: second })).toEqual({
      ids: [third, fourth],
      hasMore: true,
    });
    expect(await list({ limit: 2, after: fourth })).toEqual({ ids: [fifth], hasMore: false });
  });

  it.each<[string, () => object, number[]]>([
    ["model", () => ({ model: "alpha-2.0" }), [1, 5, 9]],
    ["status", () => ({ status: Status.PENDING }), [1, 3, 5, 7, 9]],
    ["another status", () => ({ status: Status.SUCCESS }), []],
    ["time", () => ({ createdAfter: timeOf(9), createdBefore: timeOf(3) }), [5, 7]],
    ["kind", () => ({ kind: Kind.IMAGE }), [0, 2, 4, 6, 8]],
    ["mode", () => ({ mode: Mode.TEST }), []],
    ["account", () => ({ accountId: h.accountId }), []],
  ])("is filtered by %s", async (_by, filter, indexes) => {
    expect((await list(filter())).ids).toEqual(idsAt(...indexes));
  });

  it("that have ended is found for many names at once, and where the others stand, each within its account", async () => {
    const [ended = "", running = ""] = idsAt(1, 3);
    const video = { accountId, mode: Mode.LIVE, kind: Kind.VIDEO, generationId: ended };
    await h.withWorkers(() => h.client.cancelGeneration(video));
    const names = [
      { accountId, generationId: ended },
      { accountId, generationId: running },
      { accountId: randomId("acct"), generationId: ended },
      { accountId, generationId: "nonsense" },
    ];
    expect((await h.client.findEnded({ generations: names })).generationIds).toEqual([ended]);
    expect((await h.client.findEnded({})).generationIds).toEqual([]);
    await h.sql`update generation.tasks set progress = 40 where id = ${running}`;
    expect(await h.client.findEnded({ generations: names, withStates: true })).toMatchObject({
      generationIds: [ended],
      states: [{ generationId: running, status: Status.PROCESSING, progress: 40 }],
    });
  });

  it("refuses a cursor that is not in the list, naming the field", async () => {
    const error: unknown = await list({ after: randomId("vgen") }).catch((cause: unknown) => cause);
    expect(reasonOf(error)).toBe(ErrorReason.NOT_FOUND);
    expect(faultsOf(error)[0]?.field).toBe("after");
  });
});

const search = async (filter: object) => {
  const request = { accountId, mode: Mode.LIVE, limit: 100, ...filter };
  const { generations, nextAfter, searchedBackTo } = await h.client.searchGenerations(request);
  const backTo = searchedBackTo && timestampDate(searchedBackTo);
  return { ids: generations.map(({ id }) => id), nextAfter, backTo };
};

describe("a search of generations", () => {
  it("finds both kinds, newest first, and pages without a gap or a repetition", async () => {
    const first = await search({ limit: 4 });
    const { id: after, at: backTo } = made[3] ?? {};
    expect(first).toEqual({ ids: idsAt(0, 1, 2, 3), nextAfter: after, backTo });
    expect(await search({ limit: 6, after })).toEqual({ ids: idsAt(4, 5, 6, 7, 8, 9) });
  });

  const EVERY = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const TEN_WORDS = "a p pa pap pape paper b bo boa boat";
  it.each<[string, () => object, number[]]>([
    ["kind", () => ({ kind: Kind.IMAGE }), [0, 2, 4, 6, 8]],
    ["status", () => ({ status: Status.FAILED }), []],
    ["time", () => ({ createdBefore: timeOf(7) }), [8, 9]],
    ["all words", () => ({ words: "  BOAT 4. paper" }), [5]],
    ["words, which are no pattern", () => ({ words: "boat%" }), []],
    ["words of metadata", () => ({ words: 'order_id shop-"4\\7" BOAT' }), [5]],
    ["a request's id", () => ({ words: requestIdOf(3) }), [6]],
    ["a request's id, but no part of it", () => ({ words: requestIdOf(3).slice(1) }), []],
    ["a key", () => ({ keyId: KEY }), [0, 3, 6, 9]],
    ["no key", () => ({ keyId: "", limit: 3 }), [1, 2, 4]],
    ["account", () => ({ accountId: h.accountId }), []],
    ["ten words, but no eleventh", () => ({ words: `${TEN_WORDS} absent` }), EVERY],
    [
      "words that repeat others and one that is absent",
      () => ({ words: `${"boat ".repeat(10)} absent` }),
      [],
    ],
  ])("finds by %s", async (_by, filter, indexes) => {
    expect((await search(filter())).ids).toEqual(idsAt(...indexes));
  });

  it("of an account runs one at a time, so that it leaves connections to Postgres to others", async () => {
    const { call: wait, made: locked, answer: finish } = pendingCall<void>();
    const lock = h.sql.begin(async (tx) => {
      await tx`lock table generation.generations in access exclusive mode`;
      await wait();
    });
    await locked;
    const mine = Array.from({ length: 5 }, () => search({ words: "boat" }));
    await expect.poll(() => waitingSessions(h.sql)).toBe(1);
    const others = search({ accountId: h.accountId, words: "boat" });
    await expect.poll(() => waitingSessions(h.sql)).toBe(2);
    finish();
    await Promise.all([lock, others]);
    for (const { ids } of await Promise.all(mine)) expect(ids).toHaveLength(10);
  });
});

const spender = randomId("acct");
const ROW = {
  account: spender,
  mode: "test",
  status: "success",
  model: "beta-3.0-video",
  key: null as string | null,
  prompt: "",
  end_user: undefined as string | undefined,
};

/** A generation that was created, and has ended unless it is processing, at this time. */
async function insert(at: string, fields: Partial<typeof ROW> = {}): Promise<string> {
  const id = randomId("vgen");
  const { account, mode, status, model, key, ...input } = { ...ROW, ...fields };
  const completedAt = status === "processing" ? null : at;
  await h.sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens,
      attempt, status, key_id, created_at, completed_at)
    values (${account}, ${id}, 'video', ${mode}, ${model}, ${h.sql.json(input)}, '{}', 100,
      1, ${status}, ${key}, ${at}, ${completedAt})`;
  if (completedAt === null) await insertTasks(h.sql, "poll");
  return id;
}

const span = (from: string | Date, to: string | Date) => ({
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

async function usage(from: string | Date, to: string | Date, more: object = {}) {
  return (await h.client.getUsage({ accountId: spender, ...span(from, to), ...more })).usage;
}

describe("an end user", () => {
  const createFor = (endUser?: string, account = h.accountId) =>
    h.createVideo({ accountId: account, input: endUser === undefined ? {} : { endUser } });

  it("filters lists, groups usage, and goes with the generation that is deleted", async () => {
    const mine = { accountId: h.accountId, mode: Mode.LIVE };
    const ann = await createFor("ann");
    h.clock.advance(1_000);
    const bob = await createFor("bob");
    await createFor();
    const listed = async (endUser: string) => (await list({ ...mine, endUser })).ids;
    expect(await listed("ann")).toEqual([ann.generationId]);
    expect(await listed("bob")).toEqual([bob.generationId]);
    for (const nobody of ["an", ""]) expect(await listed(nobody)).toEqual([]);
    const usageByUser = async () => {
      const [from, to] = [addMs(h.clock.now(), -86_400_000), addMs(h.clock.now(), 1_000)];
      const users = await usage(from, to, { ...mine, groupBy: UsageGroup.END_USER });
      return users.map(({ endUser, tokens, reserved }) => [endUser, tokens, reserved]);
    };
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

describe("GetUsage", () => {
  it("sums the charged Tokens by day and model: successes of this account and mode only", async () => {
    await insert("2026-11-20T00:00:00Z");
    await insert("2026-11-20T23:59:59.999Z");
    await insert("2026-11-21T00:00:00Z", { model: "alpha-2.0" });
    await insert("2026-11-22T00:00:00Z");
    await insert("2026-11-19T23:59:59.999Z");
    await insert("2026-11-20T12:00:00Z", { status: "failed" });
    await insert("2026-11-20T12:00:00Z", { mode: "live" });
    await insert("2026-11-20T12:00:00Z", { account: randomId("acct") });
    const days = await usage("2026-11-20T00:00:00Z", "2026-11-22T00:00:00Z");
    expect(days.map((one) => [one.date, one.model, one.tokens, one.generations])).toEqual([
      ["2026-11-20", "beta-3.0-video", 200n, 2n],
      ["2026-11-21", "alpha-2.0", 100n, 1n],
    ]);
  });

  it("sums what is charged and what is still held by day, model or key", async () => {
    const key = randomId("key");
    const [first, second] = ["2026-10-01T10:00:00Z", "2026-10-02T10:00:00Z"];
    await insert(first, { key });
    await insert(first, { key, status: "processing" });
    await insert(second, { key, status: "canceled" });
    await insert(second, { model: "alpha-2.0" });
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
    const [prompt, endUser] = ["p".repeat(300), "customer-1"];
    const ids = [
      await insert(day(4), { account, prompt, key, end_user: endUser }),
      await insert(day(3), { account }),
      await insert(day(2), { account }),
    ];
    await insert(day(5), { account, status: "failed" });
    await insert(day(5), { account, mode: "live" });
    await insert(day(8), { account });
    await insert(day(5));
    expect(await charges(account, { limit: 2 })).toMatchObject({
      hasMore: true,
      charges: [
        { generationId: ids[0], prompt: "p".repeat(200), keyId: key, endUser, tokens: 100n },
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
    const failed = await insert("2026-11-05T00:00:00Z", { status: "failed" });
    for (const after of [failed, randomId("vgen"), "x"]) {
      expect(await refusalOf(charges(spender, { after }))).toBe(ErrorReason.NOT_FOUND);
    }
  });
});
