/** listImageGenerations. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { image } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const PATH = "/v1/images/generations";

const harness = useHarness();

const get = (query: string) =>
  harness.send(`${PATH}${query}`, { headers: headersOf(harness.key.secret) });

describe("GET /v1/images/generations", () => {
  it("returns a page of the caller's images", async () => {
    const generations = [image({ id: randomId("igen") })];
    harness.backends.listGenerations = () => ({ generations, hasMore: false });
    const after = randomId("igen");
    const response = await get(`?limit=1&after=${after}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: "list",
      data: [{ id: generations[0]?.id, object: "image.generation", status: "success" }],
      has_more: false,
    });
    const caller = { accountId: harness.key.accountId, mode: Mode.TEST, kind: Kind.IMAGE };
    expect(harness.calls.at(-1)?.request).toMatchObject({ ...caller, limit: 1, after });
  });

  it("passes on the filters that videos have too", async () => {
    const time = "2026-11-17T00:00:00Z";
    const filters = { status: "failed", model: "m", created_after: time, created_before: time };
    expect((await get(`?${new URLSearchParams(filters).toString()}`)).status).toBe(200);
    const at = timestampFromDate(new Date(time));
    expect(harness.calls.at(-1)?.request).toMatchObject({
      kind: Kind.IMAGE,
      status: Status.FAILED,
      model: "m",
      createdAfter: at,
      createdBefore: at,
    });
  });
});
