/** listWebhookDeliveries, retrieveWebhookDelivery and redeliverWebhook. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { randomId } from "#runtime/id.ts";
import { readJson } from "../../../../services/gateway/edge/http/contract.ts";
import { delivery } from "../../backends.ts";
import { useHarness } from "../../harness.ts";

const PATH = "/v1/webhooks/deliveries";

const harness = useHarness();

const send = (method: string, path: string) =>
  harness.send(`${PATH}${path}`, {
    method,
    headers: { authorization: `Bearer ${harness.key.secret}` },
  });
const caller = () => ({ accountId: harness.key.accountId, mode: Mode.TEST });
const at = (text: string) => timestampFromDate(new Date(text));

describe("GET /v1/webhooks/deliveries", () => {
  it("returns a page, filtered by generation, status, type, URL and time", async () => {
    harness.backends.listDeliveries = () => ({ deliveries: [delivery()], hasMore: true });
    const generationId = randomId("vgen");
    const after = randomId("whd");
    const url = "https://shop.example.com/hooks?a=1";
    const query = [
      `?generation_id=${generationId}&status=exhausted&limit=2&after=${after}`,
      `type=video.generation.failed&url=${encodeURIComponent(url)}`,
      "created_after=2026-11-17T00:00:00Z&created_before=2026-11-18T00:00:00Z",
    ].join("&");
    const response = await send("GET", query);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: "list",
      data: [
        {
          object: "webhook.delivery",
          status: "pending",
          attempts: [],
          created_at: "2026-11-17T12:01:22.107Z",
        },
      ],
      has_more: true,
    });
    expect(harness.calls.at(-1)?.request).toMatchObject({
      ...caller(),
      generationId,
      status: DeliveryStatus.EXHAUSTED,
      limit: 2,
      after,
      type: "video.generation.failed",
      url,
      createdAfter: at("2026-11-17T00:00:00Z"),
      createdBefore: at("2026-11-18T00:00:00Z"),
    });
  });

  it("shows deliveries of every event, alerts among them, as the document has them", async () => {
    const types = Object.keys((JSON.parse(readJson("media")) as { webhooks: object }).webhooks);
    expect(types).toContain("limit.reached");
    const url = "https://bücher.example/benachrichtigung/für/uns?a=%zz";
    harness.backends.listDeliveries = () => ({
      deliveries: types.map((type) => delivery({ type, url })),
      hasMore: false,
    });
    const page: unknown = await (await send("GET", "")).json();
    expect(page).toMatchObject({ data: types.map((type) => ({ type, url })) });
  });
});

describe("GET /v1/webhooks/deliveries/{id}", () => {
  it("shows every attempt with its outcome, and no absent field", async () => {
    harness.backends.getDelivery = ({ deliveryId }) => ({
      delivery: delivery({
        id: deliveryId,
        type: "webhook.test",
        generationId: undefined,
        status: DeliveryStatus.DELIVERED,
        nextAttemptAt: undefined,
        attempts: [
          { at: at("2026-11-17T12:02:06.533Z"), error: "timeout", durationMs: 15_000 },
          {
            at: at("2026-11-17T12:02:11.702Z"),
            statusCode: 200,
            durationMs: 61,
            responseBody: "ok",
          },
          { at: at("2026-11-17T12:02:12.000Z"), statusCode: 600, durationMs: 7 },
        ],
      }),
    });
    const id = randomId("whd");
    const response = await send("GET", `/${id}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id,
      object: "webhook.delivery",
      event_id: "evt_1tjwebz633t0te6sv0kvy2wajz",
      type: "webhook.test",
      url: "https://shop.example.com/hooks/media",
      status: "delivered",
      attempts: [
        { at: "2026-11-17T12:02:06.533Z", error: "timeout", duration_ms: 15_000 },
        {
          at: "2026-11-17T12:02:11.702Z",
          status_code: 200,
          duration_ms: 61,
          response_body: "ok",
        },
        {
          at: "2026-11-17T12:02:12.000Z",
          error: "the status 600, which HTTP does not have",
          duration_ms: 7,
        },
      ],
      created_at: "2026-11-17T12:01:22.107Z",
    });
    expect(harness.calls.at(-1)?.request).toMatchObject({ ...caller(), deliveryId: id });
  });
});

describe("POST /v1/webhooks/deliveries/{id}/redeliver", () => {
  it("returns 202 with the delivery and the time of its next attempt", async () => {
    const id = randomId("whd");
    const response = await send("POST", `/${id}/redeliver`);
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({
      id,
      status: "pending",
      next_attempt_at: "2026-11-17T12:01:22.107Z",
    });
    expect(harness.calls.at(-1)).toMatchObject({
      method: "redeliver",
      request: { ...caller(), deliveryId: id },
    });
  });
});
