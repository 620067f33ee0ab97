/** The dashboard's operations on generations, billing and webhooks. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { TransactionSchema, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { accountOf, codeOf, newBrowser, useSignedUpBrowser, type Schemas } from "./browser.ts";
import { delivery, file, image, video } from "../backends.ts";
import { useHarness } from "../harness.ts";

const clock = manualClock("2026-11-21T12:00:00.000Z");

const harness = useHarness({ clock });
const user = useSignedUpBrowser(harness);

const time = (text: string) => timestampFromDate(new Date(text));

const entry = (type: TransactionType, tokens: bigint, createdAt: string) =>
  create(TransactionSchema, {
    id: "txn_3jr9nq5g0bh7pespbp0kmasf1h",
    type,
    tokens,
    availableAfter: 1n,
    note: '=1+1, "quoted"',
    createdAt: time(createdAt),
  });

describe("the dashboard", () => {
  it("creates a video in the account and mode, under the browser's Idempotency-Key", async () => {
    const body = { model: "beta-3.0-video", prompt: "a cat", metadata: null };
    const headers = { "idempotency-key": "one" };
    const path = "/videos/generations?mode=test";
    const first = await user.send<{ id: string }>("POST", path, body, headers);
    const second = await user.send<{ id: string }>("POST", path, body, headers);
    expect([first.status, second.body.id]).toEqual([202, first.body.id]);
    expect(first.headers.get("ratelimit-policy")).toMatch(/creates/);
    const call = harness.calls.findLast(({ method }) => method === "createVideo");
    expect(call?.request).toMatchObject({
      accountId: user.account,
      generationId: first.body.id,
      keyId: "",
    });
    const bad = await user.send("POST", path, { model: "beta-3.0-video" });
    expect(bad.body.error).toMatchObject({ code: "missing_field", param: "prompt" });
  });

  it("lists videos and images together, found by what was asked, in the public format", async () => {
    const [first, second] = [video(), image()];
    harness.backends.searchGenerations = () => ({
      generations: [first, second],
      nextAfter: second.id,
      searchedBackTo: time("2026-11-17T12:01:22Z"),
    });
    const query = "mode=test&status=success&search=paper%20boat&key=none&kind=video";
    const { body } = await user.send<Schemas["GenerationList"]>("GET", `/generations?${query}`);
    expect(body.data.map(({ object }) => object)).toEqual(["video.generation", "image.generation"]);
    expect([body.has_more, body.next_after, body.searched_back_to]).toEqual([
      true,
      second.id,
      "2026-11-17T12:01:22.000Z",
    ]);
    const call = harness.calls.findLast(({ method }) => method === "searchGenerations");
    expect(call?.request).toMatchObject({
      accountId: user.account,
      status: Status.SUCCESS,
      kind: Kind.VIDEO,
      words: "paper boat",
      keyId: "",
    });
  });

  it("searches for a name and a value of the metadata that are written as a pair", async () => {
    for (const [typed, words] of [
      ["order=A-104", "order A-104"],
      ["cat order:A-104", "cat order A-104"],
      ["https://a.example 16:9", "https://a.example 16:9"],
    ] as const) {
      const path = `/generations?mode=test&search=${encodeURIComponent(typed)}`;
      await user.send("GET", path);
      const call = harness.calls.findLast(({ method }) => method === "searchGenerations");
      expect(call?.request).toMatchObject({ words });
    }
  });

  it("shows a file of the account and mode", async () => {
    const { id } = file();
    const shown = await user.send("GET", `/files/${id}?mode=test`);
    expect(shown.body).toMatchObject({ id, object: "file" });
    const absent = await user.send("GET", "/files/nonsense?mode=test");
    expect(codeOf(absent)).toEqual([404, "file_not_found"]);
  });

  it("deletes and cancels a generation of the account and mode, of either kind", async () => {
    for (const { id, kind } of [video(), image()]) {
      const lastCall = () => harness.calls.at(-1);
      const request = { accountId: user.account, generationId: id, kind };
      const canceled = await user.send("POST", `/generations/${id}/cancel?mode=test`);
      expect([canceled.status, canceled.body]).toMatchObject([200, { id, status: "canceled" }]);
      expect(lastCall()).toMatchObject({ method: "cancelGeneration", request });
      const deleted = await user.send("DELETE", `/generations/${id}?mode=test`);
      expect([deleted.status, deleted.text]).toEqual([204, ""]);
      expect(lastCall()).toMatchObject({ method: "deleteGeneration", request });
    }
  });

  it("shows the timeline of a generation in chronological order", async () => {
    const id = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
    const created = await user.send<Schemas["CreatedApiKey"]>("POST", "/keys", {
      name: "Laptop",
      mode: "test",
    });
    const keyId = created.body.key.id;
    harness.backends.getGeneration = () => ({
      generation: video({
        id,
        status: Status.SUCCESS,
        keyId,
        startedAt: time("2026-11-17T12:01:23Z"),
        completedAt: time("2026-11-17T12:02:00Z"),
      }),
    });
    harness.backends.listTransactions = () => ({
      transactions: [
        entry(TransactionType.CAPTURE, 0n, "2026-11-17T12:01:59Z"),
        entry(TransactionType.RESERVE, -500n, "2026-11-17T12:01:22.107Z"),
      ],
      hasMore: false,
    });
    const attempts = [
      { at: time("2026-11-17T12:02:01Z"), error: "dns_error", durationMs: 3 },
      { at: time("2026-11-17T12:02:31Z"), statusCode: 200, durationMs: 9 },
    ];
    harness.backends.listDeliveries = () => ({
      deliveries: [delivery({ attempts })],
      hasMore: false,
    });
    const { body } = await user.send<Schemas["GenerationView"]>(
      "GET",
      `/generations/${id}?mode=test`,
    );
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
    expect([body.generation.id, body.transactions.length, body.deliveries.length]).toEqual([
      id,
      2,
      1,
    ]);
    expect([body.key_id, body.key_name]).toEqual([keyId, "Laptop"]);
    const absent = await user.send("GET", "/generations/nonsense?mode=test");
    expect(codeOf(absent)).toEqual([404, "generation_not_found"]);
  });

  it("shows balances of both modes", async () => {
    const balances = await user.send<Schemas["BalanceList"]>("GET", "/balances");
    expect(balances.body.data.map(({ mode }) => mode)).toEqual(["live", "test"]);
  });

  it("serves a month's transactions as CSV that spreadsheets do not run as formulas", async () => {
    harness.backends.listTransactions = ({ after }) => ({
      transactions: [entry(TransactionType.RECHARGE, 5n, "2026-11-02T00:00:00Z")],
      hasMore: after === undefined,
    });
    const answer = await user.send("GET", "/transactions.csv?mode=test&month=2026-11");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(
      /^attachment; filename="transactions-/,
    );
    const line =
      '2026-11-02T00:00:00.000Z,txn_3jr9nq5g0bh7pespbp0kmasf1h,recharge,5,1,,"\'=1+1, ""quoted"""';
    expect(answer.text.split("\r\n")).toEqual([
      "created_at,id,type,tokens,available_after,generation_id,note",
      line,
      line,
      "",
    ]);
    const statement = await user.send<Schemas["Statement"]>(
      "GET",
      "/statement?mode=test&month=2026-11",
    );
    expect(statement.body).toMatchObject({ month: "2026-11", opening: 0, closing: 0, lines: [] });
  });

  it("sends no further page of a CSV once its member is removed", async () => {
    const browser = newBrowser(harness);
    const account = accountOf(await browser.signUp("leaver@example.com"));
    harness.backends.listTransactions = (async ({ after }: { after?: string }) => {
      await harness.owner`delete from gateway.memberships where account_id = ${account}`;
      const transactions = [entry(TransactionType.RECHARGE, 5n, "2026-11-02T00:00:00Z")];
      return { transactions, hasMore: after === undefined };
    }) as never;
    const path = `/accounts/${account}/transactions.csv?mode=test&month=2026-11`;
    await expect(browser.send("GET", path)).rejects.toThrow("terminated");
    expect(harness.calls.filter(({ method }) => method === "listTransactions")).toHaveLength(1);
  });

  it("shows what each generation of a month cost and what each key used, by name, also as CSV", async () => {
    const created = await user.send<Schemas["CreatedApiKey"]>("POST", "/keys", {
      name: "Shop",
      mode: "test",
    });
    const keyId = created.body.key.id;
    const charge = (after?: string) => ({
      generationId: after === undefined ? "vgen_2zjrwfavgwd8tj2ht7shw0cw42" : after,
      kind: Kind.VIDEO,
      model: "m",
      prompt: "=cat",
      keyId: after === undefined ? keyId : "",
      endUser: after === undefined ? "customer-1" : "",
      tokens: 210n,
      createdAt: timestampFromDate(new Date("2026-11-02T00:00:00Z")),
      chargedAt: timestampFromDate(new Date("2026-11-02T00:01:00Z")),
    });
    harness.backends.listCharges = ({ after }) => ({
      charges: [charge(after)],
      hasMore: after === undefined,
    });
    const query = "?mode=test&month=2026-11";
    const page = await user.send<Schemas["ChargeList"]>("GET", `/charges${query}`);
    expect(page.body.data).toMatchObject([
      { key_id: keyId, key_name: "Shop", end_user: "customer-1", tokens: 210 },
    ]);
    expect(page.body.has_more).toBe(true);
    const csv = await user.send("GET", `/charges.csv${query}`);
    const [begin, end] = [
      "2026-11-02T00:01:00.000Z,vgen_2zjrwfavgwd8tj2ht7shw0cw42,video,m,'=cat",
      "210,2026-11-02T00:00:00.000Z",
    ];
    expect(csv.text.split("\r\n")).toEqual([
      "charged_at,generation_id,kind,model,prompt,key_id,key_name,end_user,tokens,created_at",
      `${begin},${keyId},Shop,customer-1,${end}`,
      `${begin},,,,${end}`,
      "",
    ]);
  });

  it("shows a delivery with its exact payload, also by the id of its event", async () => {
    const body = '{"type":"video.generation.completed"}';
    harness.backends.getDelivery = ({ deliveryId }) => ({
      delivery: delivery({ id: deliveryId }),
      body,
    });
    const id = "whd_3mm4vmd5y3yxtqzkbvgd6s4cwa";
    const path = `/webhooks/deliveries/${id}?mode=test`;
    const shown = await user.send<Schemas["DeliveryView"]>("GET", path);
    expect(shown.body).toMatchObject({ delivery: { id }, payload: body });
    const event = "evt_3mm4vmd5y3yxtqzkbvgd6s4cwa";
    await user.send("GET", `/webhooks/deliveries/${event}?mode=test`);
    expect(harness.calls.at(-1)?.request).toMatchObject({ deliveryId: event });
    const absent = await user.send("GET", "/webhooks/deliveries/nonsense?mode=test");
    expect(codeOf(absent)).toEqual([404, "delivery_not_found"]);
  });

  it("sends test events, shows the webhook secret and rotates it", async () => {
    const url = "https://shop.example.com/hooks";
    const sent = await user.send<{ type: string }>("POST", "/webhooks/test-events?mode=test", {
      url,
    });
    expect([sent.status, sent.body.type]).toEqual([202, "webhook.test"]);
    const type = "video.generation.failed";
    await user.send("POST", "/webhooks/test-events?mode=test", { url, type });
    expect(harness.calls.at(-1)?.request).toMatchObject({ url, type });
    const unknown = await user.send("POST", "/webhooks/test-events?mode=test", {
      url,
      type: "video.generation.started",
    });
    expect(unknown.body.error).toMatchObject({ code: "invalid_value", param: "type" });
    const local = await user.send("POST", "/webhooks/test-events?mode=test", {
      url: "https://127.0.0.1/hooks",
    });
    expect(local.body.error).toMatchObject({ code: "url_not_allowed", param: "url" });
    const secret = "/webhooks/secret";
    const shown = await user.send<Schemas["WebhookSecret"]>("GET", `${secret}?mode=test`);
    expect(shown.body).toEqual({
      object: "webhook.secret",
      mode: "test",
      secret: "whsec_c2VjcmV0",
      created_at: "2026-11-17T12:01:22.107Z",
    });
    const rotated = await user.send<Schemas["WebhookSecret"]>("POST", `${secret}/rotate?mode=test`);
    expect(rotated.body.secret).toBe("whsec_bmV3");
  });
});
