/** retrieveVideoGeneration and retrieveImageGeneration. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { readJson } from "../../../../services/gateway/edge/http/contract.ts";
import { video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const document = JSON.parse(readJson("media")) as {
  components: { schemas: { VideoGeneration: { properties: object } } };
};
const VIDEOS = "/v1/videos/generations";
const IMAGES = "/v1/images/generations";

const harness = useHarness();

const get = (path: string) => harness.send(path, { headers: headersOf(harness.key.secret) });

describe("GET /v1/videos/generations/{id} and /v1/images/generations/{id}", () => {
  it("read the caller's account, mode and kind", async () => {
    const id = randomId("vgen");
    const response = await get(`${VIDEOS}/${id}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id, object: "video.generation" });
    const imageId = randomId("igen");
    expect(await (await get(`${IMAGES}/${imageId}`)).json()).toMatchObject({ id: imageId });
    const caller = { accountId: harness.key.accountId, mode: Mode.TEST };
    expect(harness.calls.map((call) => call.request)).toMatchObject([
      { ...caller, kind: Kind.VIDEO, generationId: id },
      { ...caller, kind: Kind.IMAGE, generationId: imageId },
    ]);
  });

  it("show a finished video with its files and times, and no field that the document does not have", async () => {
    const at = (text: string) => timestampFromDate(new Date(text));
    harness.backends.getGeneration = () => ({
      generation: video({
        status: Status.SUCCESS,
        progress: 100,
        output: [
          {
            key: "a/0.mp4",
            thumbnailKey: "a/0.jpg",
            contentType: "video/mp4",
            width: 1280,
            height: 720,
            duration: 5.04,
            bytes: 3_184_022n,
            provenance: "iptc",
          },
        ],
        startedAt: at("2026-11-17T12:01:22.390Z"),
        completedAt: at("2026-11-17T12:02:06.400Z"),
      }),
    });
    const body = (await (await get(`${VIDEOS}/${randomId("vgen")}`)).json()) as object;
    expect(body).toMatchObject({
      status: "success",
      output: [
        {
          url: "https://media.example.com/assets/a/0.mp4",
          thumbnail_url: "https://media.example.com/assets/a/0.jpg",
          content_type: "video/mp4",
          width: 1280,
          height: 720,
          duration: 5.04,
          bytes: 3_184_022,
          provenance: "iptc",
        },
      ],
      started_at: "2026-11-17T12:01:22.390Z",
      completed_at: "2026-11-17T12:02:06.400Z",
    });
    expect(body).not.toHaveProperty("error");
    expect(body).not.toHaveProperty("account_id");
  });

  it("show a failed generation with 200, its fields in the document's order", async () => {
    harness.backends.getGeneration = () => ({
      generation: video({
        status: Status.FAILED,
        credits: 0n,
        error: { code: "upstream_timeout", message: "It took too long." },
      }),
    });
    const response = await get(`${VIDEOS}/${randomId("vgen")}`);
    expect(response.status).toBe(200);
    const body = (await response.json()) as object;
    expect(body).toMatchObject({
      status: "failed",
      credits: 0,
      error: { code: "upstream_timeout", message: "It took too long." },
    });
    const { VideoGeneration } = document.components.schemas;
    const order = Object.keys(VideoGeneration.properties).filter((name) => name in body);
    expect(Object.keys(body)).toEqual(order);
  });

  it("return the same 404 for an absent id and a malformed one", async () => {
    harness.backends.getGeneration = ({ generationId }) => {
      throw refusal({ reason: ErrorReason.NOT_FOUND, message: `no ${generationId} in there` });
    };
    const absent = [
      randomId("vgen"),
      "igen_",
      "vgen_",
      "x".repeat(5_000),
      "a%2Fb",
      "%00",
      "%E0%A4%A",
      "%",
      "%F0%9F%98%80",
      "..%2f..%2fmodels",
    ];
    for (const id of absent) {
      const response = await get(`${VIDEOS}/${id}`);
      expect([id, response.status]).toEqual([id, 404]);
      const { request_id: _, ...error } = await errorOf(response);
      const isId = /^vgen_[0-9a-z]{26}$/.test(id);
      expect([id, error.message.includes("one looks like vgen_")]).toEqual([id, !isId]);
      expect(error).toEqual({
        type: "not_found_error",
        code: "generation_not_found",
        message: expect.stringContaining("Check the id"),
        doc_url: `${harness.url}/docs/errors#generation_not_found`,
      });
    }
    expect(harness.calls.map(({ request }) => (request as { mode: Mode }).mode)).toEqual([
      Mode.TEST,
      Mode.LIVE,
    ]);
  });

  it("say that an id is of the other mode, also where it is canceled or deleted", async () => {
    const other = "It belongs to live mode. Your API key is for test mode: use a live key.";
    const read = ({ mode }: { mode: Mode }) => {
      if (mode === Mode.LIVE) return { generation: video() };
      throw refusal({ reason: ErrorReason.NOT_FOUND, message: "there is none" });
    };
    Object.assign(harness.backends, {
      getGeneration: read,
      cancelGeneration: read,
      deleteGeneration: read,
    });
    const path = `${VIDEOS}/${randomId("vgen")}`;
    const ways = [
      ["GET", path],
      ["DELETE", path],
      ["POST", `${path}/cancel`],
    ] as const;
    for (const [method, url] of ways) {
      const headers = { authorization: `Bearer ${harness.key.secret}` };
      const response = await harness.send(url, { method, headers });
      expect([method, response.status]).toEqual([method, 404]);
      expect(await errorOf(response)).toMatchObject({
        code: "generation_not_found",
        message: other,
      });
    }
  });

  it("name the path of the kind that an id of the other has, and do not look for it", async () => {
    for (const [path, method] of [
      [VIDEOS, "GET"],
      [VIDEOS, "DELETE"],
      ["/openai/v1/videos", "GET"],
    ] as const) {
      const headers = headersOf(harness.key.secret);
      const response = await harness.send(`${path}/${randomId("igen")}`, { method, headers });
      expect(response.status).toBe(404);
      expect(await errorOf(response)).toMatchObject({
        code: "generation_not_found",
        message:
          "An id that begins with igen_ is that of an image. Use /v1/images/generations/{id}.",
      });
    }
    const { message } = await errorOf(await get(`${IMAGES}/${randomId("vgen")}`));
    expect(message).toContain("is that of a video. Use /v1/videos/generations/{id}.");
    expect(harness.calls).toEqual([]);
  });
});
