/** The filters of the dashboard's lists. */
import { describe, expect, it } from "vitest";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { delivery } from "../backends.ts";
import { useHarness } from "../harness.ts";
import { useSignedUpBrowser, type Schemas } from "./browser.ts";

const harness = useHarness({ clock: manualClock("2026-11-21T12:00:00.000Z") });
const user = useSignedUpBrowser(harness);

const at = (path: string) => `/accounts/${user.account}${path}`;
const lastCall = (method: string) =>
  harness.calls.findLast((call) => call.method === method)?.request;

describe("the list of deliveries", () => {
  it("has those that fail by one call, which a delivery of the release before takes for the pending ones", async () => {
    harness.backends.listDeliveries = () => ({ deliveries: [delivery()], hasMore: true });
    const path = at("/webhooks/deliveries?mode=test&status=failing&type=balance.low&limit=1");
    const { body } = await user.browser.send<Schemas["WebhookDeliveryList"]>("GET", path);
    expect([body.data.map(({ id }) => id), body.has_more]).toEqual([[delivery().id], true]);
    const asked = { failing: true, status: DeliveryStatus.PENDING };
    expect(lastCall("listDeliveries")).toMatchObject({ ...asked, type: "balance.low", limit: 1 });
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
    const ofDay = { date: "2026-11-20", model: "beta-3.0-video", tokens: 500, generations: 1 };
    harness.backends.getUsage = () => ({
      usage: [{ ...ofDay, tokens: 500n, generations: 1n }],
    });
    const byDay = await user.browser.send("GET", at("/usage/groups?mode=test&group_by=day"));
    expect(byDay.body).toMatchObject({ data: [ofDay] });
    expect(lastCall("getUsage")).toMatchObject({ groupBy: UsageGroup.UNSPECIFIED });
    for (const [span, param] of [
      ["&from=2026-11-22", "from"],
      ["&from=2026-01-01&to=2026-11-01", "to"],
      ["&to=1969-12-31", "to"],
    ] as const) {
      expect((await groups(span)).body).toMatchObject({ error: { code: "out_of_range", param } });
    }
  });
});
