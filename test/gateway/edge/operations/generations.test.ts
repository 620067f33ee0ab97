/** The lists, reads, cancels and deletions of both kinds. Their codes are those of test/contract/openapi/contract.test.ts. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import document from "../../../../gen/openapi/media.json" with { type: "json" };
import { image, refusing, video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, IMAGES, VIDEOS } from "../../requests.ts";

const harness = useHarness();

const KINDS = [
  [VIDEOS, "vgen", Kind.VIDEO, video, "video.generation"],
  [IMAGES, "igen", Kind.IMAGE, image, "image.generation"],
] as const;
const caller = () => ({ accountId: harness.key.accountId, mode: Mode.TEST });

describe.each(KINDS)("%s", (path, prefix, kind, of, object) => {
  it("returns a page of the caller's account, mode and kind, with 20 entries by default", async () => {
    const generations = [of({ id: randomId(prefix) }), of({ id: randomId(prefix) })];
    harness.backends.listGenerations = () => ({ generations, hasMore: true });
    const data = generations.map(({ id }) => ({ id, object }));
    expect(await harness.json(path)).toMatchObject({ object: "list", data, has_more: true });
    const [request] = harness.requestsTo("listGenerations");
    expect(request).toMatchObject({ ...caller(), kind, limit: 20 });
    for (const filter of ["status", "model", "after", "createdAfter", "createdBefore"] as const) {
      expect(request?.[filter]).toBeUndefined();
    }
  });

  it("with an id reads, cancels and deletes that of the caller, and is 410 from then on", async () => {
    const generationId = randomId(prefix);
    const url = `${path}/${generationId}`;
    expect(await harness.json(url)).toMatchObject({ id: generationId, object });
    const response = await harness.sendBare("POST", `${url}/cancel`);
    const canceled = { id: generationId, status: "canceled", credits: 0 };
    expect([response.status, await response.json()]).toMatchObject([200, canceled]);
    for (let count = 0; count < 2; count++) {
      const deleted = await harness.sendBare("DELETE", url);
      expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    }
    expect(harness.calls.map(({ request }) => request)).toMatchObject(
      Array(4).fill({ ...caller(), kind, generationId }),
    );
    harness.backends.getGeneration = refusing("GENERATION_DELETED", "internal words");
    const message = `This ${object.split(".")[0]} was deleted. Its transactions are kept. Create a new one if you need it.`;
    expect(await errorOf(harness.get(url))).toMatchObject({ status: 410, code: "gone", message });
  });
});

it("a cancel ignores any body of any type", async () => {
  for (const type of ["text/plain", "application/json", ";", "application/xml"]) {
    for (const body of ["{", "x".repeat(1_000_000)]) {
      const path = `${VIDEOS}/${randomId("vgen")}/cancel`;
      const response = await harness.post(path, body, { "content-type": type });
      expect([type, response.status]).toEqual([type, 200]);
    }
  }
});

describe("the filters of a list", () => {
  const list = async (query: Record<string, string>) => {
    const response = await harness.get(`${VIDEOS}?${new URLSearchParams(query).toString()}`);
    const request = harness.requestsTo("listGenerations").at(-1);
    const times = [request?.createdAfter, request?.createdBefore].map(
      (time) => time && timestampDate(time).toISOString(),
    );
    return { response, request, times };
  };

  it("are passed on, with a status in any case and times in any offset and to the millisecond", async () => {
    const after = randomId("vgen");
    const { request, times } = await list({
      status: "Canceled",
      model: "beta-3.0-video",
      end_user: "customer-4711",
      created_after: "2026-11-17T02:00:00.5+02:00",
      created_before: "2026-11-18T00:00:00Z",
      limit: "100",
      after,
    });
    const named = { model: "beta-3.0-video", endUser: "customer-4711" };
    expect(request).toMatchObject({ status: Status.CANCELED, ...named, limit: 100, after });
    expect(times).toEqual(["2026-11-17T00:00:00.500Z", "2026-11-18T00:00:00.000Z"]);
  });

  it.each([
    ["2026-11-17T12:00:00.1234560Z", "2026-11-17T12:00:00.123Z", "2026-11-17T12:00:00.124Z"],
    ["2026-11-17T12:00:00.123000Z", "2026-11-17T12:00:00.123Z", "2026-11-17T12:00:00.123Z"],
    ["0000-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
    ["1969-12-31T23:59:59Z", "1970-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59.999Z"],
    ["2026-12-31T23:59:60Z", "2026-12-31T23:59:59.000Z"],
  ])("lose nothing between two spans, with any time: %s", async (time, after, before = after) => {
    const { times } = await list({ created_after: time, created_before: time });
    expect(times).toEqual([after, before]);
  });

  it("refuse an `after` that the list does not have, without revealing whose it is", async () => {
    harness.backends.listGenerations = refusing("NOT_FOUND", "not in there", { field: "after" });
    const { response } = await list({ after: randomId("vgen") });
    const message = "after is not an id of this list. Send the last id of the page before.";
    const fault = { status: 400, code: "invalid_value", param: "after", message };
    expect(await errorOf(response)).toMatchObject(fault);
  });
});

describe("a read", () => {
  const read = (path = `${VIDEOS}/${randomId("vgen")}`) => harness.json<object>(path);

  it("shows a finished video with its files and times, and no field that the document does not have", async () => {
    const size = { width: 1280, height: 720, duration: 5.04 };
    const file = { key: "a/0.mp4", thumbnailKey: "a/0.jpg", contentType: "video/mp4" };
    const [started_at, completed_at] = ["2026-11-17T12:01:22.390Z", "2026-11-17T12:02:06.400Z"];
    harness.backends.getGeneration = () => ({
      generation: video({
        status: Status.SUCCESS,
        progress: 100,
        output: [{ ...file, ...size, bytes: 3_184_022n, provenance: "iptc" }],
        startedAt: timestampFromDate(new Date(started_at)),
        completedAt: timestampFromDate(new Date(completed_at)),
      }),
    });
    const url = "https://media.example.com/assets/a/0.mp4";
    const thumbnail_url = "https://media.example.com/assets/a/0.jpg";
    const more = { content_type: "video/mp4", bytes: 3_184_022, provenance: "iptc" };
    const output = [{ url, thumbnail_url, ...size, ...more }];
    const body = await read();
    expect(body).toMatchObject({ status: "success", output, started_at, completed_at });
    expect(body).not.toHaveProperty("error");
    expect(body).not.toHaveProperty("account_id");
  });

  it("shows a failed generation with 200, its fields in the document's order", async () => {
    const error = { code: "upstream_timeout", message: "It took too long." };
    harness.backends.getGeneration = () => ({
      generation: video({ status: Status.FAILED, credits: 0n, error }),
    });
    const body = await read();
    expect(body).toMatchObject({ status: "failed", credits: 0, error });
    const { VideoGeneration } = document.components.schemas;
    const order = Object.keys(VideoGeneration.properties).filter((name) => name in body);
    expect(Object.keys(body)).toEqual(order);
  });

  it("returns the same 404 for an absent id and a malformed one", async () => {
    harness.backends.getGeneration = refusing("NOT_FOUND", "no such id in there");
    const malformed = ["igen_", "vgen_", "x".repeat(5_000), "a%2Fb", "%00", "%E0%A4%A", "%"];
    for (const id of [randomId("vgen"), ...malformed, "%F0%9F%98%80", "..%2f..%2fmodels"]) {
      const { request_id: _, ...error } = await errorOf(harness.get(`${VIDEOS}/${id}`));
      const isId = /^vgen_[0-9a-z]{26}$/.test(id);
      expect([id, error.message.includes("such as vgen_")]).toEqual([id, !isId]);
      expect(error).toEqual({
        status: 404,
        type: "not_found_error",
        code: "generation_not_found",
        message: expect.stringContaining("Check the id"),
        doc_url: `${harness.url}/docs/errors#generation_not_found`,
      });
    }
    const modes = harness.requestsTo("getGeneration").map(({ mode }) => mode);
    expect(modes).toEqual([Mode.TEST, Mode.LIVE]);
  });

  it("says that an id is of the other mode, also where it is canceled or deleted", async () => {
    const message = "It belongs to live mode. Your API key is for test mode: use a live key.";
    const ofLive = ({ mode }: { mode: Mode }) => {
      if (mode === Mode.LIVE) return { generation: video() };
      throw refusal({ reason: ErrorReason.NOT_FOUND, message: "there is none" });
    };
    const { backends } = harness;
    backends.getGeneration = ofLive;
    backends.cancelGeneration = ofLive;
    backends.deleteGeneration = ofLive as typeof backends.deleteGeneration;
    const path = `${VIDEOS}/${randomId("vgen")}`;
    for (const [method, url] of [
      ["GET", path],
      ["DELETE", path],
      ["POST", `${path}/cancel`],
    ] as const) {
      const absent = { status: 404, code: "generation_not_found", message };
      expect(await errorOf(harness.sendBare(method, url))).toMatchObject(absent);
    }
  });
});
