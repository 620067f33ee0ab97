/** createFile, listFiles, retrieveFile and deleteFile. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { CreateFileRequest } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { randomId } from "#runtime/id.ts";
import { file, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

const PATH = "/v1/files";
const AT = "2026-11-17T12:01:22.107Z";
const BYTES = new Uint8Array(Buffer.from("bytes of a picture"));
const MOST = 20_000_000;

/** Not a public host: files are read from storage. */
const BASE = "http://localhost:9/assets";
const harness = useHarness({ config: { assetBaseUrl: BASE } });

const send = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) => {
  const authorization = `Bearer ${harness.key.secret}`;
  return harness.send(PATH, { method: "POST", headers: { authorization, ...headers }, body });
};
const raw = (bytes: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
  send(bytes, { "content-type": "image/png", ...more });
const form = (...files: [name: string, value: Blob | string][]) => {
  const data = new FormData();
  for (const [name, value] of files) data.append(name, value);
  return data;
};
const created = () =>
  harness.calls
    .filter(({ method }) => method === "createFile")
    .map(({ request }) => request) as CreateFileRequest[];

describe("POST /v1/files", () => {
  it("passes on a raw body of any type of picture or the part of a form, and answers an id and a URL", async () => {
    const response = await raw(BYTES);
    expect(response.status).toBe(201);
    const { id: fileId, ...answer } = (await response.json()) as { id: string };
    expect(answer).toEqual({
      object: "file",
      url: `${BASE}/a.png`,
      content_type: "image/png",
      bytes: 9,
      width: 64,
      height: 48,
      created_at: AT,
      expires_at: AT,
    });
    await send(form(["file", new Blob([BYTES], { type: "text/plain" })]));
    const { accountId } = harness.key;
    const request = { accountId, mode: Mode.TEST, content: BYTES };
    expect(created()).toMatchObject([{ ...request, fileId }, request]);
    for (const type of ["image/jpg", "IMAGE/PNG; name=a"])
      expect((await raw(BYTES, { "content-type": type })).status).toBe(201);
  });

  it("derives the id from the Idempotency-Key, and says when it was a replay", async () => {
    const key = { "idempotency-key": randomId("req") };
    await raw(BYTES, key);
    harness.backends.createFile = ({ fileId }) => ({ file: file({ id: fileId }), replayed: true });
    const again = await raw(BYTES, key);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    const [first, second] = created().map(({ fileId }) => fileId);
    expect(first).toBe(second);
  });

  it("reads no more than 20 MB, whatever a request announces", async () => {
    const whole = await raw(new Uint8Array(MOST));
    expect(whole.status).toBe(201);
    expect(created()[0]?.content).toHaveLength(MOST);
    const chunked = {
      method: "POST",
      headers: { authorization: `Bearer ${harness.key.secret}`, "content-type": "image/png" },
      body: new Blob([new Uint8Array(MOST + 1)]).stream(),
      duplex: "half",
    } as RequestInit;
    for (const response of [
      await harness.send(PATH, chunked),
      await send(form(["file", new Blob([new Uint8Array(MOST + 1)])])),
    ]) {
      expect(response.status).toBe(413);
      expect(await errorOf(response)).toMatchObject({ code: "body_too_large" });
    }
    expect(created()).toHaveLength(1);
  });

  it("refuses other bodies, naming what is wrong", async () => {
    const blob = new Blob([BYTES]);
    const json = harness.send(PATH, post(harness.key.secret, {}));
    const bare = raw(BYTES, { "content-type": "multipart/form-data; boundary=x" });
    const cases: [string, Promise<Response>, string][] = [
      ["JSON", json, "415 unsupported_media_type Content-Type"],
      [
        "encoded",
        raw(BYTES, { "content-encoding": "gzip" }),
        "415 unsupported_media_type Content-Encoding",
      ],
      ["empty", raw(new Uint8Array()), "400 missing_field file"],
      ["an empty form", send(form()), "400 missing_field file"],
      ["text in the form", send(form(["file", "text"])), "400 invalid_type file"],
      ["another part", send(form(["file", blob], ["purpose", "x"])), "400 unknown_field purpose"],
      ["two files", send(form(["file", blob], ["file", blob])), "400 invalid_value file"],
      ["no form", bare, "400 invalid_value file"],
    ];
    for (const [what, response, refusal] of cases) {
      const { status } = await response;
      const { code, param } = await errorOf(await response);
      expect([what, `${status} ${code} ${param}`]).toEqual([what, refusal]);
    }
    expect(created()).toEqual([]);
  });
});

it("that the account has no room for is 403, with how much it may store and stores", async () => {
  harness.backends.createFile = refusing("STORAGE_LIMIT_REACHED", "Delete some.", {
    metadata: { limit: "2000000000", used: "1999000000" },
  });
  const response = await raw(BYTES);
  expect(response.status).toBe(403);
  expect(await errorOf(response)).toMatchObject({
    type: "permission_error",
    code: "storage_limit_reached",
    message: "Delete some.",
    details: { limit: 2_000_000_000, used: 1_999_000_000 },
  });
});

describe("GET /v1/files", () => {
  const list = (query = "") =>
    harness.send(`${PATH}${query}`, { headers: headersOf(harness.key.secret) });

  it("lists the files of the caller's account and mode by pages", async () => {
    const [id, after] = [randomId("file"), randomId("file")];
    harness.backends.listFiles = () => ({ files: [file({ id })], hasMore: true });
    const response = await list(`?limit=1&after=${after}`);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { object: "list", data: [{ id, object: "file", url: `${BASE}/a.png` }], has_more: true },
    ]);
    const { accountId } = harness.key;
    const page = { accountId, mode: Mode.TEST, limit: 1, after };
    expect(harness.calls.map(({ request }) => request)).toMatchObject([page]);
  });
});

describe("a file's id", () => {
  it("reads and deletes the file of the caller's account and mode", async () => {
    const fileId = randomId("file");
    const headers = headersOf(harness.key.secret);
    const read = await harness.send(`${PATH}/${fileId}`, { headers });
    expect([read.status, await read.json()]).toMatchObject([200, { id: fileId, object: "file" }]);
    const deleted = await harness.send(`${PATH}/${fileId}`, { method: "DELETE", headers });
    expect(deleted.status).toBe(204);
    const { accountId } = harness.key;
    const owned = { accountId, mode: Mode.TEST, fileId };
    expect(harness.calls.map(({ request }) => request)).toMatchObject([owned, owned]);
  });
});

describe("a create", () => {
  const CREATE = "/v1/videos/generations";
  const withImage = (image_url: string) =>
    harness.send(CREATE, post(harness.key.secret, { model: "m", prompt: "a", image_url }));

  it("takes a file's URL, and names the field of one that the account does not have", async () => {
    const url = `${BASE}/${"0".repeat(26)}.png`;
    expect((await withImage(url)).status).toBe(202);
    harness.backends.createVideo = refusing("FILE_NOT_FOUND", "No such file.", {
      field: "image_url",
    });
    const response = await withImage(url);
    expect(response.status).toBe(400);
    const param = "image_url";
    expect(await errorOf(response)).toMatchObject({ code: "file_not_found", param });
  });
});
