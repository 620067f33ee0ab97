/** listWebhookDeliveries, retrieveWebhookDelivery and redeliverWebhook. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { randomId } from "#runtime/id.ts";
import { delivery } from "../../backends.ts";
import { useHarness } from "../../harness.ts";

const PATH = "/v1/webhooks/deliveries";
const CREATED_AT = "2026-11-17T12:01:22.107Z";

const harness = useHarness();

const caller = () => ({ accountId: harness.key.accountId, mode: Mode.TEST });
const at = (text: string) => timestampFromDate(new Date(text));

it("a page is filtered by generation, status, type, URL and time", async () => {
  harness.backends.listDeliveries = () => ({ deliveries: [delivery()], hasMore: true });
  const [generationId, after] = [randomId("vgen"), randomId("whd")];
  const named = { type: "video.generation.failed", url: "https://shop.example.com/hooks?a=1" };
  const [created_after, created_before] = ["2026-11-17T00:00:00Z", "2026-11-18T00:00:00Z"];
  const more = { generation_id: generationId, status: "exhausted", limit: "2", after };
  const query = new URLSearchParams({ ...named, ...more, created_after, created_before });
  const shown = { object: "webhook.delivery", status: "pending", attempts: [] };
  const page = { object: "list", data: [{ ...shown, created_at: CREATED_AT }], has_more: true };
  expect(await harness.json(`${PATH}?${query.toString()}`)).toMatchObject(page);
  const times = { createdAfter: at(created_after), createdBefore: at(created_before) };
  const filter = { generationId, status: DeliveryStatus.EXHAUSTED, limit: 2, after, ...times };
  expect(harness.requestsTo("listDeliveries")).toMatchObject([
    { ...caller(), ...named, ...filter },
  ]);
});

it("a delivery has every attempt with its outcome, and no absent field", async () => {
  const [first, second] = ["2026-11-17T12:02:06.533Z", "2026-11-17T12:02:11.702Z"];
  const third = "2026-11-17T12:02:12.000Z";
  const type = "webhook.test";
  const ended = { generationId: undefined, nextAttemptAt: undefined };
  const attempts = [
    { at: at(first), error: "timeout", durationMs: 15_000 },
    { at: at(second), statusCode: 200, durationMs: 61, responseBody: "ok" },
    { at: at(third), statusCode: 600, durationMs: 7 },
  ];
  harness.backends.getDelivery = ({ deliveryId: id }) => ({
    delivery: delivery({ id, type, status: DeliveryStatus.DELIVERED, ...ended, attempts }),
  });
  const id = randomId("whd");
  expect(await harness.json(`${PATH}/${id}`)).toEqual({
    id,
    object: "webhook.delivery",
    event_id: "evt_1tjwebz633t0te6sv0kvy2wajz",
    type,
    url: "https://shop.example.com/hooks/media",
    status: "delivered",
    attempts: [
      { at: first, error: "timeout", duration_ms: 15_000 },
      { at: second, status_code: 200, duration_ms: 61, response_body: "ok" },
      { at: third, error: "the status 600, which HTTP does not have", duration_ms: 7 },
    ],
    created_at: CREATED_AT,
  });
  expect(harness.requestsTo("getDelivery")).toMatchObject([{ ...caller(), deliveryId: id }]);
});

it("a redelivery is 202 with the delivery and the time of its next attempt", async () => {
  const id = randomId("whd");
  const response = await harness.sendBare("POST", `${PATH}/${id}/redeliver`);
  const pending = { id, status: "pending", next_attempt_at: CREATED_AT };
  expect([response.status, await response.json()]).toMatchObject([202, pending]);
  expect(harness.requestsTo("redeliver")).toMatchObject([{ ...caller(), deliveryId: id }]);
});
