/** listVideoGenerations: pages, filters and the faults of a query. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  Kind,
  Status,
  type ListGenerationsRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { image, refusing, video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const PATH = "/v1/videos/generations";

const harness = useHarness();

const get = (query: string) =>
  harness.send(`${PATH}${query}`, { headers: headersOf(harness.key.secret) });
const lastCall = () => harness.calls.at(-1)?.request as ListGenerationsRequest;

describe("GET /v1/videos/generations", () => {
  it("returns a page of the caller's account, mode and kind, with 20 entries by default", async () => {
    const generations = [video({ id: randomId("vgen") }), video({ id: randomId("vgen") })];
    harness.backends.listGenerations = () => ({ generations, hasMore: true });
    const response = await get("");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: "list",
      data: generations.map(({ id }) => ({ id, object: "video.generation", status: "pending" })),
      has_more: true,
    });
    const caller = { accountId: harness.key.accountId, mode: Mode.TEST, kind: Kind.VIDEO };
    expect(lastCall()).toMatchObject({ ...caller, limit: 20 });
    for (const filter of ["status", "model", "after", "createdAfter", "createdBefore"] as const) {
      expect(lastCall()[filter]).toBeUndefined();
    }
  });

  it("passes on every filter, with a status in any case and times in any offset and to the millisecond", async () => {
    const after = randomId("vgen");
    const query = new URLSearchParams({
      status: "Canceled",
      model: "beta-3.0-video",
      end_user: "customer-4711",
      created_after: "2026-11-17T02:00:00.5+02:00",
      created_before: "2026-11-18T00:00:00Z",
      limit: "100",
      after,
    });
    expect((await get(`?${query.toString()}`)).status).toBe(200);
    expect(lastCall()).toMatchObject({
      status: Status.CANCELED,
      model: "beta-3.0-video",
      endUser: "customer-4711",
      limit: 100,
      after,
    });
    const times = [lastCall().createdAfter, lastCall().createdBefore].map(
      (time) => time && timestampDate(time).toISOString(),
    );
    expect(times).toEqual(["2026-11-17T00:00:00.500Z", "2026-11-18T00:00:00.000Z"]);
  });

  it("is for images under their own path, as for videos", async () => {
    const generations = [image({ id: randomId("igen") })];
    harness.backends.listGenerations = () => ({ generations, hasMore: false });
    const headers = headersOf(harness.key.secret);
    const response = await harness.send("/v1/images/generations?status=failed", { headers });
    const data = [{ id: generations[0]?.id, object: "image.generation" }];
    expect(await response.json()).toMatchObject({ data, has_more: false });
    expect(lastCall()).toMatchObject({ kind: Kind.IMAGE, status: Status.FAILED });
  });

  it.each([
    ["12:00:00.1234560Z", "12:00:00.123Z", "12:00:00.124Z"],
    ["12:00:00.123000Z", "12:00:00.123Z", "12:00:00.123Z"],
  ])("loses no generation of the millisecond %s between two spans", async (time, after, before) => {
    const day = "2026-11-17T";
    await get(`?created_after=${day}${time}&created_before=${day}${time}`);
    const times = [lastCall().createdAfter, lastCall().createdBefore].map(
      (one) => one && timestampDate(one).toISOString(),
    );
    expect(times).toEqual([`${day}${after}`, `${day}${before}`]);
  });

  it.each([
    ["0000-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
    ["1969-12-31T23:59:59Z", "1970-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59.999Z"],
    ["2026-12-31T23:59:60Z", "2026-12-31T23:59:59.000Z"],
  ])("clamps a time that no generation can have: %s", async (time, taken) => {
    expect((await get(`?created_after=${time}`)).status).toBe(200);
    const { createdAfter } = lastCall();
    expect(createdAfter && timestampDate(createdAfter).toISOString()).toBe(taken);
  });

  it("refuses an `after` that the list does not have, without revealing whose it is", async () => {
    harness.backends.listGenerations = refusing("NOT_FOUND", "not in there", { field: "after" });
    const response = await get(`?after=${randomId("vgen")}`);
    expect(response.status).toBe(400);
    const message = "after is not an id of this list. Send the last id of the page before.";
    const fault = { code: "invalid_value", param: "after", message };
    expect(await errorOf(response)).toMatchObject(fault);
  });
});
