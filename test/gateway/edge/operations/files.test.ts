/** createFile, listFiles, retrieveFile and deleteFile, and what an upload can cost: memory, and expensive forms. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Problem } from "../../../../services/gateway/edge/http/problem.ts";
import { uploadMemory, type HeldBytes } from "../../../../services/gateway/edge/http/json-body.ts";
import { file, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf } from "../../requests.ts";

const PATH = "/v1/files";
const AT = "2026-11-17T12:01:22.107Z";
const BYTES = new Uint8Array(Buffer.from("bytes of a picture"));
const MOST = 20_000_000;
const BOUNDARY = "x";
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

const BASE = "https://media.example.com/assets";
const harness = useHarness();

const send = (body: RequestInit["body"], type?: string, more = {}) =>
  harness.sendBytes(PATH, body, { ...(type && { "content-type": type }), ...more });
const raw = (bytes: Uint8Array<ArrayBuffer>, more = {}) => send(bytes, "image/png", more);
const form = (...files: [name: string, value: Blob | string][]) => {
  const data = new FormData();
  for (const [name, value] of files) data.append(name, value);
  return data;
};
const owner = () => ({ accountId: harness.key.accountId, mode: Mode.TEST });
const created = () => harness.requestsTo("createFile");

describe("POST /v1/files", () => {
  it("passes on a raw body of any type of picture or the part of a form, and answers an id and a URL", async () => {
    const response = await raw(BYTES);
    expect(response.status).toBe(201);
    const { id: fileId, ...answer } = (await response.json()) as { id: string };
    const size = { bytes: 9, width: 64, height: 48 };
    const times = { created_at: AT, expires_at: AT };
    const shown = { object: "file", url: `${BASE}/a.png`, content_type: "image/png" };
    expect(answer).toEqual({ ...shown, ...size, ...times });
    await send(form(["file", new Blob([BYTES], { type: "text/plain" })]));
    const request = { ...owner(), content: BYTES };
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
    expect(new Set(created().map(({ fileId }) => fileId)).size).toBe(1);
  });

  it("reads no more than 20 MB, whatever a request announces", async () => {
    expect((await raw(new Uint8Array(MOST))).status).toBe(201);
    expect(created()[0]?.content).toHaveLength(MOST);
    const larger = new Blob([new Uint8Array(MOST + 1)]);
    for (const response of [
      await send(larger.stream(), "image/png"),
      await send(form(["file", larger])),
    ]) {
      const refused = { status: 413, code: "body_too_large", param: "file" };
      expect(await errorOf(response)).toMatchObject(refused);
    }
    expect(created()).toHaveLength(1);
  });

  it("refuses other bodies, naming what is wrong", async () => {
    const blob = new Blob([BYTES]);
    const encoded = raw(BYTES, { "content-encoding": "gzip" });
    for (const [response, refusal] of [
      [harness.post(PATH, {}), "415 unsupported_media_type Content-Type"],
      [encoded, "415 unsupported_media_type Content-Encoding"],
      [raw(new Uint8Array()), "400 missing_field file"],
      [send(form()), "400 missing_field file"],
      [send(form(["file", "text"])), "400 invalid_type file"],
      [send(form(["file", blob], ["purpose", "x"])), "400 unknown_field purpose"],
      [send(form(["file", blob], ["file", blob])), "400 invalid_value file"],
    ] as const) {
      const { status, code, param } = await errorOf(response);
      expect(`${status} ${code} ${param}`).toBe(refusal);
    }
    expect(created()).toEqual([]);
  });

  it("is 403 where the account has no room, with how much it may store and stores", async () => {
    harness.backends.createFile = refusing("STORAGE_LIMIT_REACHED", "Delete some.", {
      metadata: { limit: "2000000000", used: "1999000000" },
    });
    const details = { limit: 2_000_000_000, used: 1_999_000_000 };
    const refused = { code: "storage_limit_reached", message: "Delete some.", details };
    expect(await errorOf(raw(BYTES))).toMatchObject({ status: 403, ...refused });
  });
});

it("files of the caller's account and mode are listed by pages", async () => {
  const [id, after] = [randomId("file"), randomId("file")];
  harness.backends.listFiles = () => ({ files: [file({ id })], hasMore: true });
  const data = [{ id, object: "file", url: `${BASE}/a.png` }];
  const page = await harness.json(`${PATH}?limit=1&after=${after}`);
  expect(page).toMatchObject({ object: "list", data, has_more: true });
  expect(harness.requestsTo("listFiles")).toMatchObject([{ ...owner(), limit: 1, after }]);
});

it("a file of the caller's account and mode is read and deleted by its id", async () => {
  const fileId = randomId("file");
  expect(await harness.json(`${PATH}/${fileId}`)).toMatchObject({ id: fileId, object: "file" });
  expect((await harness.sendBare("DELETE", `${PATH}/${fileId}`)).status).toBe(204);
  const owned = { ...owner(), fileId };
  expect(harness.calls.map(({ request }) => request)).toMatchObject([owned, owned]);
  harness.backends.getFile = refusing("FILE_DELETED", "internal words");
  const message = "This file was deleted. Send it again if you need it.";
  const gone = await errorOf(harness.get(`${PATH}/${fileId}`));
  expect(gone).toMatchObject({ status: 410, code: "gone", message });
});

it("a create takes a file's URL, and names the field of one that the account does not have", async () => {
  const param = "image_url";
  const body = { model: "m", prompt: "a", [param]: `${BASE}/${"0".repeat(26)}.png` };
  const create = () => harness.post("/v1/videos/generations", body);
  expect((await create()).status).toBe(202);
  harness.backends.createVideo = refusing("FILE_NOT_FOUND", "No such file.", { field: param });
  expect(await errorOf(create())).toMatchObject({ status: 400, code: "file_not_found", param });
});

/** A form of parts that are given with their headers. */
const rawForm = (parts: string | readonly string[]) =>
  [...[parts].flat().map((part) => `--${BOUNDARY}\r\n${part}\r\n`), `--${BOUNDARY}--\r\n`].join("");
const part = (name: string, content = "") =>
  `Content-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${content}`;

describe("the memory for files", () => {
  it("has three of the largest of one account, and ten of all, until they are released", () => {
    const memory = uploadMemory();
    const held: HeldBytes[] = [];
    const outcomeOf = (account: string) => {
      const one = memory.hold(account);
      try {
        one.add(MOST);
      } catch (error) {
        return (error as Problem).code;
      }
      held.push(one);
      return "held";
    };
    const refusedOf = (accounts: string) =>
      Array.from(accounts, (account) => `${account} ${outcomeOf(account)}`).filter(
        (outcome) => !outcome.endsWith("held"),
      );
    expect(refusedOf("aaaabbbcccdd")).toEqual(["a unavailable", "d unavailable"]);
    held.pop()?.release();
    expect(refusedOf("da")).toEqual(["a unavailable"]);
    for (const one of held) one.release();
    expect(refusedOf("aaa")).toEqual([]);
  });

  it("counts what was read of a file whose length is not told", async () => {
    const answer = harness.hold("createFile");
    const held: Promise<Response>[] = [];
    for (const key of [harness.key, await harness.newKey()].flatMap((one) => Array(6).fill(one))) {
      const headers = { "content-type": "image/png" };
      held.push(key.sendBytes(PATH, new Blob(["small"]).stream(), headers));
      await expect.poll(() => harness.requestsTo("createFile").length).toBe(held.length);
    }
    answer();
    const statuses = (await Promise.all(held)).map(({ status }) => status);
    expect(statuses).toEqual(Array(12).fill(201));
  });
});

describe("a form that is made to be expensive", () => {
  const picture = part("file", "p");
  const nine = Array.from({ length: 9 }, () => part("file"));
  const tiny = Array.from({ length: 250_000 }, (_, at) => part(String(at)));

  it.each([
    ["no boundary in its type", rawForm(picture), "multipart/form-data", "has no boundary"],
    ["nine parts", rawForm(nine), FORM, "more than 8 parts"],
    ["tiny parts", rawForm(tiny), FORM, "more than 8 parts"],
    ["no last delimiter", `--x\r\n${picture}`, FORM, "is not a form as its Content-Type says"],
  ])("with %s is refused with one short fault", async (_what, body, type, said) => {
    const response = await send(body, type);
    const text = await response.clone().text();
    expect(text.length).toBeLessThan(1_000);
    const message = expect.stringContaining(said);
    expect(await errorOf(response)).toMatchObject({ status: 400, message });
  });
});
