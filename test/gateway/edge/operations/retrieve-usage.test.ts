/** retrieveUsage: which days are asked for, and what is answered. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { UsageGroup, type GetUsageRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { usageSpan } from "../../../../services/gateway/domain/time.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const harness = useHarness();

const get = (query: string) =>
  harness.send(`/v1/usage?${query}`, { headers: headersOf(harness.key.secret) });

describe("GET /v1/usage", () => {
  it("answers groups with what was charged and what is held, and their total", async () => {
    const group = {
      date: "",
      model: "",
      endUser: "",
      generations: 2n,
      tokens: 300n,
      reserved: 50n,
    };
    harness.backends.getUsage = () => ({
      usage: [
        { ...group, keyId: "" },
        { ...group, keyId: "key_1" },
      ],
    });
    const response = await get("from=2026-11-16&to=2026-11-17&group_by=key");
    const sums = { generations: 2, captured: 300, reserved: 50, net: 350 };
    expect(await response.json()).toEqual({
      object: "usage",
      mode: "test",
      from: "2026-11-16",
      to: "2026-11-17",
      group_by: "key",
      data: [sums, { key_id: "key_1", ...sums }],
      total: { generations: 4, captured: 600, reserved: 100, net: 700 },
    });
    const asked = harness.calls.at(-1)?.request as GetUsageRequest | undefined;
    const days = [asked?.from, asked?.to].map((time) => time && timestampDate(time).toISOString());
    expect([...days, asked?.groupBy]).toEqual([
      "2026-11-16T00:00:00.000Z",
      "2026-11-18T00:00:00.000Z",
      UsageGroup.KEY,
    ]);
  });

  it("groups by end user", async () => {
    const group = { date: "", model: "", keyId: "", generations: 1n, tokens: 3n, reserved: 0n };
    harness.backends.getUsage = () => ({ usage: [{ ...group, endUser: "customer-4711" }] });
    expect(await (await get("group_by=end_user")).json()).toMatchObject({
      group_by: "end_user",
      data: [{ end_user: "customer-4711", captured: 3 }],
    });
    expect(harness.calls.at(-1)?.request).toMatchObject({ groupBy: UsageGroup.END_USER });
  });

  it("groups by day by default", async () => {
    harness.backends.getUsage = () => ({ usage: [] });
    expect(await (await get("")).json()).toMatchObject({ group_by: "day" });
    expect(harness.calls.at(-1)?.request).toMatchObject({ groupBy: UsageGroup.DAY });
  });

  it.each([
    ["from=2026-11-17&to=2026-11-16", "out_of_range", "to"],
    ["from=2026-01-01&to=2026-04-03", "out_of_range", "to"],
    ["from=2999-01-01", "out_of_range", "from"],
    ["from=0001-01-01&to=0001-01-01", "out_of_range", "from"],
    ["to=9999-01-01", "out_of_range", "to"],
  ])("refuses %s with %s", async (query, code, param) => {
    const response = await get(query);
    expect([response.status, await errorOf(response)]).toMatchObject([400, { code, param }]);
    expect(harness.calls).toEqual([]);
  });
});

describe("the days of usage", () => {
  const now = new Date("2026-11-17T23:30:00Z");
  it.each([
    [{}, "2026-11-01", "2026-11-17"],
    [{ to: "2026-03-05" }, "2026-03-01", "2026-03-05"],
    [{ from: "2026-11-16" }, "2026-11-16", "2026-11-17"],
    [{ from: "2026-01-01" }, "2026-01-01", "2026-04-02"],
  ])("of %j are %s to %s", (query, from, to) => {
    expect(usageSpan(now, query)).toMatchObject({ from, to });
  });
});
