/** The dashboard's operations on generations, billing, webhooks, usage and the request log. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind, Status, UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { delivery, file, image, video } from "../backends.ts";
import { MOVED_TIME } from "../harness.ts";
import { headersOf } from "../requests.ts";
import { codeOf, useDashboard } from "./browser.ts";

const { clock } = MOVED_TIME;
const { harness, newMember, useMember } = useDashboard(MOVED_TIME);
const user = useMember();

const time = (text: string) => timestampFromDate(new Date(text));

const entry = (type: TransactionType, tokens: bigint, at: string) => {
  const of = { id: "txn_3jr9nq5g0bh7pespbp0kmasf1h", availableAfter: 1n, note: '=1+1, "quoted"' };
  return { ...of, type, tokens, createdAt: time(at) };
};
const recharge = entry(TransactionType.RECHARGE, 5n, "2026-11-02T00:00:00Z");

const newKey = async (name: string) =>
  (await user.send<"CreatedApiKey">("POST", "/keys", { name, mode: "test" })).body;

const lastOf = (method: Parameters<typeof harness.requestsTo>[0]) =>
  harness.requestsTo(method).at(-1);

describe("the dashboard", () => {
  it("creates a video in the account and mode, under the browser's Idempotency-Key", async () => {
    const body = { model: "beta-3.0-video", prompt: "a cat", metadata: null };
    const headers = { "idempotency-key": "one" };
    const path = "/videos/generations?mode=test";
    const first = await user.send<{ id: string }>("POST", path, body, headers);
    const second = await user.send<{ id: string }>("POST", path, body, headers);
    expect([first.status, second.body.id]).toEqual([202, first.body.id]);
    expect(first.headers.get("ratelimit-policy")).toMatch(/creates/);
    const asked = { accountId: user.account, generationId: first.body.id, keyId: "" };
    expect(lastOf("createVideo")).toMatchObject(asked);
    const bad = await user.send("POST", path, { model: "beta-3.0-video" });
    expect(bad.body.error).toMatchObject({ code: "missing_field", param: "prompt" });
  });

  it("lists videos and images together, found by what was asked, in the public format", async () => {
    const generations = [video(), image()];
    const nextAfter = image().id;
    const answer = { generations, nextAfter, searchedBackTo: time("2026-11-17T12:01:22Z") };
    harness.backends.searchGenerations = () => answer;
    const query = "mode=test&status=success&search=paper%20boat&key=none&kind=video";
    expect(await user.get<"GenerationList">(`/generations?${query}`)).toMatchObject({
      data: [{ object: "video.generation" }, { object: "image.generation" }],
      has_more: true,
      next_after: nextAfter,
      searched_back_to: "2026-11-17T12:01:22.000Z",
    });
    const asked = { status: Status.SUCCESS, kind: Kind.VIDEO, words: "paper boat", keyId: "" };
    expect(lastOf("searchGenerations")).toMatchObject({ accountId: user.account, ...asked });
  });

  it("shows a file of the account and mode, and the balances of both modes", async () => {
    const { id } = file();
    expect(await user.get(`/files/${id}?mode=test`)).toMatchObject({ id, object: "file" });
    const absent = await user.send("GET", "/files/nonsense?mode=test");
    expect(codeOf(absent)).toEqual([404, "file_not_found"]);
    const data = [{ mode: "live" }, { mode: "test" }];
    expect(await user.get("/balances")).toMatchObject({ data });
  });

  it("deletes and cancels a generation of the account and mode, of either kind", async () => {
    for (const { id, kind } of [video(), image()]) {
      const request = { accountId: user.account, generationId: id, kind };
      const canceled = await user.send("POST", `/generations/${id}/cancel?mode=test`);
      expect([canceled.status, canceled.body]).toMatchObject([200, { id, status: "canceled" }]);
      expect(lastOf("cancelGeneration")).toMatchObject(request);
      const deleted = await user.send("DELETE", `/generations/${id}?mode=test`);
      expect([deleted.status, deleted.text]).toEqual([204, ""]);
      expect(lastOf("deleteGeneration")).toMatchObject(request);
    }
  });

  it("shows the timeline of a generation in chronological order", async () => {
    const key_id = (await newKey("Laptop")).key.id;
    const [startedAt, completedAt] = [time("2026-11-17T12:01:23Z"), time("2026-11-17T12:02:00Z")];
    const generation = video({ status: Status.SUCCESS, keyId: key_id, startedAt, completedAt });
    const transactions = [
      entry(TransactionType.CAPTURE, 0n, "2026-11-17T12:02:00Z"),
      entry(TransactionType.RESERVE, -500n, "2026-11-17T12:01:22.107Z"),
    ];
    const attempts = [
      { at: time("2026-11-17T12:02:01Z"), error: "dns_error", durationMs: 3 },
      { at: time("2026-11-17T12:02:31Z"), statusCode: 200, durationMs: 9 },
    ];
    const deliveries = [delivery({ attempts })];
    harness.backends.getGeneration = () => ({ generation });
    harness.backends.listTransactions = () => ({ transactions, hasMore: false });
    harness.backends.listDeliveries = () => ({ deliveries, hasMore: false });
    const body = await user.get<"GenerationView">(`/generations/${generation.id}?mode=test`);
    expect(body.timeline.map(({ type, tokens }) => [type, tokens])).toEqual([
      ["created", undefined],
      ["reserved", 500],
      ["started", undefined],
      ["charged", 500],
      ["succeeded", undefined],
      ["webhook_sent", undefined],
      ["webhook_sent", undefined],
    ]);
    expect(body.timeline.slice(-2)).toMatchObject([{ error: "dns_error" }, { status_code: 200 }]);
    const counts = { transactions: { length: 2 }, deliveries: { length: 1 } };
    const named = { key_id, key_name: "Laptop", generation: { id: generation.id } };
    expect(body).toMatchObject({ ...named, ...counts });
  });

  it("serves a month's transactions as CSV that spreadsheets do not run as formulas", async () => {
    harness.backends.listTransactions = ({ after }) => ({
      transactions: [recharge],
      hasMore: after === undefined,
    });
    const answer = await user.send("GET", "/transactions.csv?mode=test&month=2026-11");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const all = await user.send("HEAD", "/transactions.csv?mode=test");
    const names = [answer, all].map(({ headers }) => headers.get("content-disposition"));
    expect(names[0]).toBe('attachment; filename="transactions-test-2026-11.csv"');
    expect(names[1]).toMatch(/="transactions-test-\d{4}-\d\d-\d\d\.csv"$/);
    const line = `2026-11-02T00:00:00.000Z,${recharge.id},recharge,5,1,,"'=1+1, ""quoted""",`;
    const head = "created_at,id,type,tokens,available_after,generation_id,note,charged";
    expect(answer.text.split("\r\n")).toEqual([head, line, line, ""]);
    const statement = await user.get("/statement?mode=test&month=2026-11");
    expect(statement).toMatchObject({ month: "2026-11", opening: 0, closing: 0, lines: [] });
  });

  it.each(["memberships", "sessions"])("sends no more of a CSV once %s end", async (ended) => {
    const leaver = await newMember();
    harness.backends.listTransactions = (async ({ after }: { after?: string }) => {
      const { owner } = harness;
      await owner`delete from ${owner(`gateway.${ended}`)} where user_id = ${leaver.userId}`;
      return { transactions: [recharge], hasMore: after === undefined };
    }) as never;
    const sent = leaver.send("GET", "/transactions.csv?mode=test&month=2026-11");
    await expect(sent).rejects.toThrow("terminated");
    expect(harness.requestsTo("listTransactions")).toHaveLength(1);
  });

  it("shows what each generation of a month cost and what each key used, by name, also as CSV", async () => {
    const key_id = (await newKey("Shop")).key.id;
    const charge = {
      generationId: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
      kind: Kind.VIDEO,
      model: "m",
      prompt: "=cat",
      tokens: 210n,
      createdAt: time("2026-11-02T00:00:00Z"),
      chargedAt: time("2026-11-02T00:01:00Z"),
    };
    const named = { ...charge, keyId: key_id, endUser: "customer-1" };
    harness.backends.listCharges = ({ after }) => ({
      charges: [after === undefined ? named : charge],
      hasMore: after === undefined,
    });
    const query = "?mode=test&month=2026-11";
    const shown = { key_id, key_name: "Shop", end_user: "customer-1", tokens: 210 };
    expect(await user.get(`/charges${query}`)).toMatchObject({ data: [shown], has_more: true });
    const csv = await user.send("GET", `/charges.csv${query}`);
    const begin = `2026-11-02T00:01:00.000Z,${charge.generationId},video,m,'=cat`;
    const end = "210,2026-11-02T00:00:00.000Z";
    expect(csv.text.split("\r\n")).toEqual([
      "charged_at,generation_id,kind,model,prompt,key_id,key_name,end_user,tokens,created_at",
      `${begin},${key_id},Shop,customer-1,${end}`,
      `${begin},,,,${end}`,
      "",
    ]);
  });
});

describe("webhooks in the dashboard", () => {
  it("are shown with their exact payload, also by the id of the event", async () => {
    const body = '{"type":"video.generation.completed"}';
    harness.backends.getDelivery = () => ({ delivery: delivery(), body });
    for (const id of ["whd_3mm4vmd5y3yxtqzkbvgd6s4cwa", "evt_3mm4vmd5y3yxtqzkbvgd6s4cwa"]) {
      const shown = await user.get(`/webhooks/deliveries/${id}?mode=test`);
      expect(shown).toMatchObject({ delivery: { id: delivery().id }, payload: body });
      expect(lastOf("getDelivery")).toMatchObject({ deliveryId: id });
    }
  });

  it("have test events of every type to public URLs, and a secret that is shown and rotated", async () => {
    const send = (body: object) => user.send("POST", "/webhooks/test-events?mode=test", body);
    const url = "https://shop.example.com/hooks";
    expect(await send({ url })).toMatchObject({ status: 202, body: { type: "webhook.test" } });
    const type = "video.generation.failed";
    await send({ url, type });
    expect(lastOf("sendTestEvent")).toMatchObject({ url, type });
    const unknown = await send({ url, type: "video.generation.started" });
    expect(unknown.body.error).toMatchObject({ code: "invalid_value", param: "type" });
    const local = await send({ url: "https://127.0.0.1/hooks" });
    expect(local.body.error).toMatchObject({ code: "url_not_allowed", param: "url" });
    expect(local.body.error?.message).toContain("run media-generation listen");
    expect(await user.get("/webhooks/secret?mode=test")).toEqual({
      object: "webhook.secret",
      mode: "test",
      secret: "whsec_c2VjcmV0",
      created_at: "2026-11-17T12:01:22.107Z",
    });
    const rotated = await user.send("POST", "/webhooks/secret/rotate?mode=test");
    expect(rotated.body).toMatchObject({ secret: "whsec_bmV3" });
  });

  it("that fail are listed by one call, which a delivery of the release before takes for the pending ones", async () => {
    const { id } = delivery();
    harness.backends.listDeliveries = () => ({ deliveries: [delivery()], hasMore: true });
    const query = "mode=test&status=failing&type=balance.low&limit=1";
    const page = await user.get(`/webhooks/deliveries?${query}`);
    expect(page).toMatchObject({ data: [{ id }], has_more: true });
    const asked = { failing: true, status: DeliveryStatus.PENDING };
    expect(lastOf("listDeliveries")).toMatchObject({ ...asked, type: "balance.low", limit: 1 });
  });
});

it("the usage by group names keys and end users, with the most Tokens first, and leaves out what was not charged", async () => {
  const usage = [
    { tokens: 20n, generations: 1n, endUser: "customer-1" },
    { tokens: 0n, generations: 0n, reserved: 9n, endUser: "customer-2" },
    { tokens: 420n, generations: 2n },
  ];
  harness.backends.getUsage = () => ({ usage });
  const groups = (query: string) => user.get(`/usage/groups?mode=test&group_by=${query}`);
  const today = clock.now().toISOString().slice(0, 10);
  expect(await groups(`end_user&from=${today}`)).toEqual({
    object: "usage.groups",
    from: today,
    to: today,
    data: [
      { tokens: 420, generations: 2 },
      { end_user: "customer-1", tokens: 20, generations: 1 },
    ],
  });
  expect(lastOf("getUsage")).toMatchObject({ groupBy: UsageGroup.END_USER });
  const ofDay = { date: "2026-11-20", model: "beta-3.0-video", tokens: 500, generations: 1 };
  harness.backends.getUsage = () => ({ usage: [{ ...ofDay, tokens: 500n, generations: 1n }] });
  expect(await groups("day")).toMatchObject({ data: [ofDay] });
  expect(lastOf("getUsage")).toMatchObject({ groupBy: UsageGroup.UNSPECIFIED });
});

it("the request log has requests of the mode with the names of their keys, filtered", async () => {
  const { secret } = await newKey("Server");
  const id = randomId("req");
  await harness.send("/v1/models/nothing", { headers: headersOf(secret, { "request-id": id }) });
  const log = async (query: string) => {
    clock.advance(1_000);
    return user.get<"RequestLog">(`/request-log?${query}`);
  };
  const found = async () => (await log(`mode=test&request_id=${id}`)).data;
  await expect.poll(found).toHaveLength(1);
  const request = { path: "/v1/models/{id}", status: 404, error_code: "model_not_found" };
  const data = [{ key_name: "Server", request }];
  const filtered = await log(`mode=test&status=4xx&request_id=${id}`);
  expect(filtered).toMatchObject({ has_more: false, data });
  expect((await log("mode=test&status=2xx")).data).toEqual([]);
  expect((await log("mode=live")).data).toEqual([]);
});
