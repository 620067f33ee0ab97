/** Errors for OpenAI's clients: the page about each, and no repetition of what could be charged again or cannot change. */
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import { GenerationErrorSchema, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { makeImage } from "../../../support/make-media.ts";
import { image, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";

const harness = useHarness({ imageWaitSeconds: 0.2 });

const post = (path: string, body: object | FormData, headers: Record<string, string> = {}) =>
  harness.send(`/openai/v1${path}`, {
    method: "POST",
    body: body instanceof FormData ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${harness.key.secret}`,
      ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  });
const createVideo = (headers?: Record<string, string>) =>
  post("/videos", { model: "alpha-2.0", prompt: "a boat" }, headers);
const createImage = (headers?: Record<string, string>) =>
  post("/images/generations", { model: "gamma-image-3.0-pro", prompt: "a boat" }, headers);
const KEY = { "idempotency-key": "order-1" };

const imageThat = (status: Status, code: string) => () => {
  const error = create(GenerationErrorSchema, { code, message: "It failed." });
  return { generation: image({ status, output: [], error }), replayed: false };
};

describe("x-should-retry", () => {
  it("is false for a create without a key that may have been accepted, and absent with one", async () => {
    harness.backends.createVideo = () => {
      throw new ConnectError("cut off", Code.Unavailable);
    };
    expect((await createVideo()).headers.get("x-should-retry")).toBe("false");
    expect((await createVideo(KEY)).headers.get("x-should-retry")).toBeNull();
  });

  it("is false for an image that failed, with a key or without", async () => {
    harness.backends.createImage = imageThat(Status.FAILED, "upstream_failed");
    for (const headers of [{}, KEY]) {
      const { status, headers: answered } = await createImage(headers);
      expect([status, answered.get("x-should-retry")]).toEqual([502, "false"]);
    }
  });

  it("is false for an image that is still being made only without a key", async () => {
    harness.backends.createImage = imageThat(Status.PROCESSING, "");
    expect((await createImage()).headers.get("x-should-retry")).toBe("false");
    expect((await createImage(KEY)).headers.get("x-should-retry")).toBeNull();
  });

  it("is absent for a read", async () => {
    harness.backends.listModels = () => {
      throw new ConnectError("cut off", Code.Unavailable);
    };
    const { status, headers } = await harness.send("/openai/v1/models", {
      headers: { authorization: `Bearer ${harness.key.secret}` },
    });
    expect([status, headers.get("x-should-retry")]).toEqual([503, null]);
  });
});

const generationOf = (call: { request: object } | undefined) =>
  (call?.request as { generationId?: string } | undefined)?.generationId;

it("names the image that was made where its file cannot be read now", async () => {
  harness.backends.createImage = ({ generationId: id }) => ({
    generation: image({ id, status: Status.SUCCESS }),
    replayed: false,
  });
  const answer = await createImage();
  const made = harness.calls.find(({ method }) => method === "createImage");
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { error: { code: "unavailable", details: { generation_id: generationOf(made) } } },
  ]);
});

it("names the page about the code of an error", async () => {
  const answer = await post("/videos", { model: "alpha-2.0" });
  const { error } = (await answer.json()) as { error: { code: string; doc_url: string } };
  expect([answer.status, error.code]).toEqual([400, "missing_field"]);
  expect(error.doc_url).toBe(`${harness.url}/docs/errors#missing_field`);
  expect((await fetch(error.doc_url)).status).toBe(200);
});

describe("a picture whose create is refused", () => {
  const form = () => {
    const fields = new FormData();
    fields.set("model", "alpha-2.0");
    fields.set("prompt", "a boat");
    fields.set("input_reference", new Blob([new Uint8Array(makeImage("png"))]), "a.png");
    return fields;
  };
  const calls = (name: string) => harness.calls.filter(({ method }) => method === name).length;

  it("is deleted again, unless a repetition with the key will look for it", async () => {
    harness.backends.createVideo = refusing(
      "IMAGE_URL_NOT_SUPPORTED",
      "alpha-2.0 takes text only. Leave image_url out.",
      { field: "image_url" },
    );
    const response = await post("/videos", form());
    expect(await response.json()).toMatchObject({
      error: {
        code: "image_url_not_supported",
        param: "input_reference",
        message: "alpha-2.0 takes text only. Leave input_reference out.",
      },
    });
    expect(calls("deleteFile")).toBe(1);
    await post("/videos", form(), KEY);
    expect([calls("createFile"), calls("deleteFile")]).toEqual([2, 1]);
  });

  it("is the only one, and is stored only for an account that may create", async () => {
    const two = form();
    two.set("input_reference[file_id]", "file_5q0m8tjx1n9c6w2hzd4rk7vbya");
    expect(await (await post("/videos", two)).json()).toMatchObject({
      error: { code: "invalid_value", param: "input_reference" },
    });
    const { accountId, secret } = await harness.newKey();
    await harness.owner`update gateway.accounts set suspended_at = now() where account_id = ${accountId}`;
    for (const key of [{}, KEY]) {
      const headers = { authorization: `Bearer ${secret}`, ...key };
      const refused = await post("/videos", form(), headers);
      expect(await refused.json()).toMatchObject({ error: { code: "account_suspended" } });
    }
    expect(calls("createFile")).toBe(0);
  });

  it("is not read as text, nor a text as a file", async () => {
    const fields = form();
    fields.set("input_reference", "a.png");
    fields.set("prompt", new Blob(["a boat"]), "prompt.txt");
    const { error } = (await (await post("/videos", fields)).json()) as {
      error: { errors: { code: string; param: string }[] };
    };
    expect(new Set(error.errors.map(({ code, param }) => `${param} ${code}`))).toEqual(
      new Set(["input_reference invalid_type", "prompt invalid_type"]),
    );
    expect(harness.calls.filter(({ method }) => method !== "listModels")).toEqual([]);
  });
});

describe("an input_reference without a picture", () => {
  it("is refused with the names that it may have", async () => {
    const video = { model: "alpha-2.0", prompt: "a boat", input_reference: {} };
    expect(await (await post("/videos", video)).json()).toMatchObject({
      error: {
        code: "too_short",
        message: "input_reference must have at least 1 entry of image_url, file_id.",
      },
    });
  });
});

describe("a data URL", () => {
  const create = (url: string) =>
    post("/videos", { model: "alpha-2.0", prompt: "a boat", input_reference: { image_url: url } });

  it.each(["", "!!!!", "===="])("without bytes is refused, naming the field (%j)", async (data) => {
    const answer = await create(`data:image/png;base64,${data}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "invalid_value", param: "input_reference" } },
    ]);
    expect(harness.calls.filter(({ method }) => method === "createFile")).toEqual([]);
  });

  it.each([
    "data:image/jpg;base64,",
    "DATA:Image/PNG;BASE64,",
    "data:image/png;name=a.png;base64,",
  ])("is read whatever it declares (%s)", async (head) => {
    const bytes = makeImage("png");
    expect((await create(`${head}${bytes.toString("base64")}`)).status).toBe(200);
    const stored = harness.calls.find(({ method }) => method === "createFile");
    expect(stored?.request).toMatchObject({ content: new Uint8Array(bytes) });
  });
});

it("refuses a client of OpenAI's that calls the public API, naming the base URL", async () => {
  const answer = await harness.send("/v1/images/generations", {
    method: "POST",
    body: JSON.stringify({ model: "gamma-image-3.0-pro", prompt: "a boat" }),
    headers: {
      authorization: `Bearer ${harness.key.secret}`,
      "content-type": "application/json",
      "x-stainless-lang": "js",
    },
  });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect([answer.status, error.code]).toEqual([400, "invalid_value"]);
  expect(error.message).toContain(`${harness.url}/openai/v1`);
  expect(harness.calls).toEqual([]);
});

describe("a large body", () => {
  it("may be a picture, and is refused before it is parsed where it consists of small parts", async () => {
    const video = { model: "alpha-2.0", prompt: "a boat" };
    const deep = await post("/videos", {
      ...video,
      more: Array.from({ length: 300_000 }, () => 1),
    });
    const { error } = (await deep.json()) as { error: { code: string; message: string } };
    expect([deep.status, error.code]).toEqual([413, "body_too_large"]);
    expect(error.message).toContain("8000 commas");
    const picture = `data:image/png;base64,${"A".repeat(600_000)}`;
    const large = await post("/videos", { ...video, input_reference: { image_url: picture } });
    expect(large.status).not.toBe(413);
  });
});
