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
import { video, refusing } from "../../backends.ts";
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

  it("passes on every filter, with times in any offset and to the millisecond", async () => {
    const after = randomId("vgen");
    const query = new URLSearchParams({
      status: "canceled",
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

  it.each([
    ["limit=0", "out_of_range", "limit", "limit must be from 1 to 100."],
    ["limit=ten", "invalid_type", "limit", "limit must be an integer."],
    ["limit=1e1", "invalid_type", "limit", "limit must be an integer."],
    ["limit=0x10", "invalid_type", "limit", "limit must be an integer."],
    ["limit=%2010", "invalid_type", "limit", "limit must be an integer."],
    ["limit=5&limit=6", "invalid_type", "limit", "Send limit once."],
    [
      "status=done",
      "invalid_value",
      "status",
      "status must be one of pending, processing, success, failed, canceled.",
    ],
    ["model=", "too_short", "model", "model must have at least 1 character."],
    [
      `model=${"m".repeat(101)}`,
      "too_long",
      "model",
      "model must have at most 100 characters; it has 101.",
    ],
    [
      "model=%00",
      "invalid_value",
      "model",
      "model must be well-formed Unicode without NUL characters.",
    ],
    [
      "created_after=yesterday",
      "invalid_value",
      "created_after",
      "created_after must be a time of RFC 3339, such as 2026-11-17T00:00:00Z.",
    ],
    [
      "created_after=2026-11-25",
      "invalid_value",
      "created_after",
      "created_after must be a time of RFC 3339, such as 2026-11-25T00:00:00Z.",
    ],
    [
      "created_before=2026-11-17T00:00:00+02:00",
      "invalid_value",
      "created_before",
      "created_before must be a time of RFC 3339, such as 2026-11-17T00:00:00Z, with + written as %2B.",
    ],
    ["after=", "invalid_value", "after", expect.anything()],
    ["after=%00", "invalid_value", "after", expect.anything()],
    [`after=${"x".repeat(5_000)}`, "invalid_value", "after", expect.anything()],
    [
      "verbose=1",
      "unknown_field",
      "verbose",
      "Unknown query parameter: verbose. Remove it, or use one of status, model, end_user, created_after, created_before, limit, after.",
    ],
    [
      "page=2",
      "unknown_field",
      "page",
      "Unknown query parameter: page. For the next page send after, the id of the last object of this one. Remove it, or use one of status, model, end_user, created_after, created_before, limit, after.",
    ],
  ])("refuses ?%s with %s", async (query, code, param, message) => {
    const response = await get(`?${query}`);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      type: "invalid_request_error",
      code,
      param,
      message,
    });
    expect(harness.calls).toEqual([]);
  });

  it("reports several faults in the document's order, unknown parameters last", async () => {
    const { errors } = await errorOf(await get("?verbose=1&limit=0&status=done"));
    expect(errors?.map(({ code, param }) => [code, param])).toEqual([
      ["invalid_value", "status"],
      ["out_of_range", "limit"],
      ["unknown_field", "verbose"],
    ]);
  });

  it("refuses an `after` that the list does not have, without revealing whose it is", async () => {
    harness.backends.listGenerations = refusing("NOT_FOUND", "not in there", { field: "after" });
    const response = await get(`?after=${randomId("vgen")}`);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      type: "invalid_request_error",
      code: "invalid_value",
      param: "after",
      message: "after is not an id of this list. Send the last id of the page before.",
    });
  });

  it("serves HEAD like GET", async () => {
    const init = { method: "HEAD", headers: headersOf(harness.key.secret) };
    expect((await harness.send(PATH, init)).status).toBe(200);
  });
});
