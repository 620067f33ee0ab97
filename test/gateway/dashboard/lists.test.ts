/** What the dashboard's lists say of all that matches: totals, and CSV of every page. */
import { describe, expect, it } from "vitest";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind, Status, UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { delivery, image, video } from "../backends.ts";
import { useHarness } from "../harness.ts";
import { useSignedUpBrowser, type Schemas } from "./browser.ts";

const harness = useHarness({ clock: manualClock("2026-11-21T12:00:00.000Z") });
const user = useSignedUpBrowser(harness);

const at = (path: string) => `/accounts/${user.account}${path}`;
const FILTERS =
  "mode=test&status=success&search=paper%20boat&key=none&kind=video&end_user=customer-1";
const asAsked = {
  status: Status.SUCCESS,
  kind: Kind.VIDEO,
  words: "paper boat",
  keyId: "",
  endUser: "customer-1",
};
const lastCall = (method: string) =>
  harness.calls.findLast((call) => call.method === method)?.request;

describe("the list of generations", () => {
  it("says how many match the filters, what they cost, and how far it counted", async () => {
    const backTo = new Date("2026-11-17T12:01:22.000Z");
    harness.backends.countGenerations = () => ({
      count: 10_000n,
      tokens: 420n,
      countedBackTo: timestampFromDate(backTo),
    });
    const { body } = await user.browser.send("GET", at(`/generation-totals?${FILTERS}`));
    expect(body).toEqual({
      object: "list.totals",
      count: 10_000,
      tokens: 420,
      counted_back_to: backTo.toISOString(),
    });
    expect(lastCall("countGenerations")).toMatchObject({ accountId: user.account, ...asAsked });
  });

  it("searches for a name and a value of the metadata that are written as a pair", async () => {
    harness.backends.countGenerations = () => ({ count: 1n, tokens: 0n });
    for (const [typed, words] of [
      ["order=A-104", "order A-104"],
      ["cat order:A-104", "cat order A-104"],
      ["https://a.example 16:9", "https://a.example 16:9"],
    ] as const) {
      const path = at(`/generation-totals?mode=test&search=${encodeURIComponent(typed)}`);
      await user.browser.send("GET", path);
      expect(lastCall("countGenerations")).toMatchObject({ words });
    }
  });

  it("counts what a searched id names, and what of it was charged", async () => {
    const found = [image(), video({ status: Status.FAILED })];
    harness.backends.findGenerations = () => ({ generations: found });
    const search = `mode=test&search=${video().id}`;
    const { body } = await user.browser.send("GET", at(`/generation-totals?${search}`));
    expect(body).toEqual({ object: "list.totals", count: 2, tokens: 42 });
    const csv = await user.browser.send("GET", at(`/generations.csv?${search}`));
    expect(csv.text.split("\r\n")).toHaveLength(4);
  });

  it("is served whole as CSV with the same filters, and cells that spreadsheets do not run as formulas", async () => {
    const created = await user.browser.send<Schemas["CreatedApiKey"]>("POST", at("/keys"), {
      name: "@Shop",
      mode: "test",
    });
    const keyId = created.body.key.id;
    const first = image({
      keyId,
      input: {
        case: "image",
        value: {
          prompt: '=1+1, "quoted"',
          size: "1024x1024",
          promptExtend: true,
          metadata: { order: "-7" },
          endUser: "customer-1",
        },
      },
    });
    const second = video({
      input: { case: "video", value: { prompt: "+a cat", duration: 5, aspectRatio: "16:9" } },
    });
    harness.backends.searchGenerations = ({ after }) =>
      after === undefined
        ? { generations: [first], nextAfter: first.id }
        : { generations: [second] };
    const answer = await user.browser.send("GET", at(`/generations.csv?${FILTERS}`));
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="generations-test.csv"',
    );
    const createdAt = "2026-11-17T12:01:22.107Z";
    expect(answer.text.split("\r\n")).toEqual([
      "created_at,id,kind,status,model,prompt,tokens,completed_at,error,key_id,key_name,end_user,metadata,output_urls,duration_seconds,width,height,bytes",
      `${createdAt},${first.id},image,success,${first.model},"'=1+1, ""quoted""",42,,,${keyId},'@Shop,customer-1,"{""order"":""-7""}",https://media.example.com/assets/a/igen/0.png,,1024,1024,9`,
      `${createdAt},${second.id},video,pending,${second.model},'+a cat,0,,,,,,,,,,,`,
      "",
    ]);
    expect(lastCall("searchGenerations")).toMatchObject({ ...asAsked, after: first.id });
  });
});

describe("the list of deliveries", () => {
  it("says how many have the status, and how far it counted", async () => {
    const backTo = new Date("2026-11-17T12:01:22.000Z");
    harness.backends.countDeliveries = () => ({
      count: 10_000n,
      countedBackTo: timestampFromDate(backTo),
    });
    const path = at("/webhooks/delivery-totals?mode=test&status=pending");
    expect((await user.browser.send("GET", path)).body).toEqual({
      object: "list.totals",
      count: 10_000,
      counted_back_to: backTo.toISOString(),
    });
    const asked = { accountId: user.account, mode: Mode.TEST, status: DeliveryStatus.PENDING };
    expect(lastCall("countDeliveries")).toMatchObject(asked);
  });

  it("has, counts and downloads what its filters by type, URL and day match", async () => {
    harness.backends.listDeliveries = () => ({ deliveries: [], hasMore: false });
    harness.backends.countDeliveries = () => ({ count: 0n });
    const url = "https://shop.example.com/hooks";
    const [after, before] = ["2026-11-17T00:00:00.000Z", "2026-11-18T00:00:00.000Z"];
    const filter = `type=balance.low&url=${encodeURIComponent(url)}&created_after=${after}&created_before=${before}`;
    const asked = {
      type: "balance.low",
      url,
      createdAfter: timestampFromDate(new Date(after)),
      createdBefore: timestampFromDate(new Date(before)),
    };
    for (const [path, method] of [
      ["deliveries", "listDeliveries"],
      ["delivery-totals", "countDeliveries"],
      ["deliveries.csv", "listDeliveries"],
    ] as const) {
      harness.calls.length = 0;
      await user.browser.send("GET", at(`/webhooks/${path}?mode=test&${filter}`));
      expect(lastCall(method)).toMatchObject(asked);
    }
  });

  it("has and counts those that fail by one call each, which a delivery of the release before takes for the pending ones", async () => {
    harness.backends.listDeliveries = () => ({ deliveries: [delivery()], hasMore: true });
    harness.backends.countDeliveries = () => ({ count: 2n });
    const path = at("/webhooks/deliveries?mode=test&status=failing&limit=1");
    const { body } = await user.browser.send<Schemas["WebhookDeliveryList"]>("GET", path);
    expect([body.data.map(({ id }) => id), body.has_more]).toEqual([[delivery().id], true]);
    const asked = { failing: true, status: DeliveryStatus.PENDING };
    expect(lastCall("listDeliveries")).toMatchObject({ ...asked, limit: 1 });
    const totals = at("/webhooks/delivery-totals?mode=test&status=failing");
    expect((await user.browser.send("GET", totals)).body).toMatchObject({ count: 2 });
    expect(lastCall("countDeliveries")).toMatchObject(asked);
  });

  it("is served whole as CSV with the same filter, each with its last attempt", async () => {
    const attempt = { at: timestampFromDate(new Date(0)), durationMs: 1, statusCode: 500 };
    const failed = delivery({ attempts: [attempt, { ...attempt, error: "-timeout" }] });
    harness.backends.listDeliveries = ({ after }) => ({
      deliveries: [after === undefined ? delivery() : failed],
      hasMore: after === undefined,
    });
    const path = at("/webhooks/deliveries.csv?mode=test&status=pending");
    const [header, ...lines] = (await user.browser.send("GET", path)).text.split("\r\n");
    const { id, eventId, type, generationId, url } = delivery();
    const begin = [id, eventId, type, generationId, url, "pending"].join(",");
    const next = "2026-11-17T12:01:22.107Z";
    expect(header).toBe(
      "id,event_id,type,generation_id,url,status,attempts,last_attempt_at,last_status_code,last_error,next_attempt_at",
    );
    expect(lines).toEqual([
      `${begin},0,,,,${next}`,
      `${begin},2,1970-01-01T00:00:00.000Z,500,'-timeout,${next}`,
      "",
    ]);
    expect(lastCall("listDeliveries")).toMatchObject({
      status: DeliveryStatus.PENDING,
      after: id,
    });
  });
});

describe("the list of transactions", () => {
  it("says how many are of the type", async () => {
    harness.backends.countTransactions = () => ({ count: 7n });
    const path = at("/transaction-totals?mode=test&type=recharge");
    const { body } = await user.browser.send("GET", path);
    expect(body).toEqual({ object: "list.totals", count: 7 });
    const asked = { accountId: user.account, mode: Mode.TEST, type: TransactionType.RECHARGE };
    expect(lastCall("countTransactions")).toMatchObject(asked);
  });

  it("is served as CSV of one type, over all months", async () => {
    harness.backends.listTransactions = () => ({ transactions: [], hasMore: false });
    await user.browser.send("GET", at("/transactions.csv?mode=test&type=recharge"));
    const asked = lastCall("listTransactions");
    expect(asked).toMatchObject({ type: TransactionType.RECHARGE });
    expect(asked).not.toHaveProperty("createdFrom");
  });
});

describe("the usage by group", () => {
  it("names keys and end users, with the most Tokens first, and leaves out what was not charged", async () => {
    harness.backends.getUsage = () => ({
      usage: [
        { tokens: 20n, generations: 1n, endUser: "customer-1" },
        { tokens: 0n, generations: 0n, reserved: 9n, endUser: "customer-2" },
        { tokens: 420n, generations: 2n },
      ],
    });
    const groups = (query: string) =>
      user.browser.send("GET", at(`/usage/groups?mode=test&group_by=end_user${query}`));
    expect((await groups("&from=2026-11-20")).body).toEqual({
      object: "usage.groups",
      from: "2026-11-20",
      to: "2026-11-21",
      data: [
        { tokens: 420, generations: 2 },
        { end_user: "customer-1", tokens: 20, generations: 1 },
      ],
    });
    expect(lastCall("getUsage")).toMatchObject({ groupBy: UsageGroup.END_USER });
    for (const span of ["&from=2026-11-22", "&from=2026-01-01&to=2026-11-01", "&to=1969-12-31"]) {
      expect((await groups(span)).body).toMatchObject({
        error: { code: "out_of_range", param: "to" },
      });
    }
  });

  it("is downloaded as CSV with the same choice, named by what it is grouped by", async () => {
    const created = await user.browser.send<Schemas["CreatedApiKey"]>("POST", at("/keys"), {
      name: "Shop",
      mode: "test",
    });
    const keyId = created.body.key.id;
    harness.backends.getUsage = () => ({
      usage: [
        { tokens: 20n, generations: 1n, endUser: "=1+1", model: "m", keyId },
        { tokens: 0n, generations: 0n, reserved: 9n },
        { tokens: 420n, generations: 2n },
      ],
    });
    for (const [groupBy, ...lines] of [
      ["end_user", "end_user,generations,tokens", ",2,420", "'=1+1,1,20"],
      ["model", "model,generations,tokens", ",2,420", "m,1,20"],
      ["key", "key_id,key_name,generations,tokens", ",,2,420", `${keyId},Shop,1,20`],
    ] as const) {
      const query = `mode=test&group_by=${groupBy}&from=2026-11-20`;
      const { headers, text } = await user.browser.send("GET", at(`/usage/groups.csv?${query}`));
      expect(headers.get("content-disposition")).toBe(
        `attachment; filename="usage-by-${groupBy}-test-2026-11-20-2026-11-21.csv"`,
      );
      expect(text).toBe([...lines, ""].join("\r\n"));
    }
    const wrong = at("/usage/groups.csv?mode=test&group_by=model&from=2026-11-22");
    expect((await user.browser.send("GET", wrong)).body.error).toMatchObject({ param: "to" });
  });
});
