/** Errors for OpenAI's clients: what to do instead, and no repetition of what could be charged again or cannot change. */
import { Code, ConnectError } from "@connectrpc/connect";
import media from "../../../../gen/openapi/media.json" with { type: "json" };
import document from "../../../../gen/openapi/openai.json" with { type: "json" };
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { makeImage } from "../../../support/make-media.ts";
import { catalogModels, refusing } from "../../backends.ts";
import { MOVED_TIME, useHarness } from "../../harness.ts";
import { errorOf, headersOf, passTime } from "../../requests.ts";

type Noted = { "x-instead-of"?: Record<string, string> };

const harness = useHarness();

const IMAGES = "/openai/v1/images/generations";
const VIDEO = { model: "alpha-2.0", prompt: "a boat" };
const IMAGE = { model: "gamma-image-3.0-pro", prompt: "a boat" };
const KEY = { "idempotency-key": "order-1" };
const PNG = new Uint8Array(makeImage("png"));

const createVideo = (more: object = {}, headers = {}) =>
  harness.post("/openai/v1/videos", { ...VIDEO, ...more }, headers);
const createImage = (headers = {}) => harness.post(IMAGES, IMAGE, headers);
const sendForm = (path: string, body: FormData, headers = {}) =>
  harness.sendBytes(`/openai/v1${path}`, body, headers);
const formOf = (fields: Record<string, string | Blob>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

const cutOff = () => {
  throw new ConnectError("cut off", Code.Unavailable);
};

describe("x-should-retry", () => {
  const retried = async (sent: Promise<Response>) => {
    const { status, headers } = await sent;
    return [status, headers.get("x-should-retry")];
  };

  it("is false for a create without a key that may have been accepted, and absent with one and for a read", async () => {
    harness.backends.createVideo = cutOff;
    harness.backends.listModels = cutOff;
    expect(await retried(createVideo())).toEqual([503, "false"]);
    expect(await retried(createVideo({}, KEY))).toEqual([503, null]);
    expect(await retried(harness.get("/openai/v1/models"))).toEqual([503, null]);
  });

  it("is false for an image that failed, with a key or without", async () => {
    const error = { code: "upstream_failed", message: "It failed." };
    harness.answerAll({ status: Status.FAILED, output: [], error });
    for (const key of [{}, KEY]) expect(await retried(createImage(key))).toEqual([502, "false"]);
  });

  const timed = useHarness(MOVED_TIME);

  it("is false for an image that is still being made only without a key", async () => {
    timed.answerAll({ status: Status.PROCESSING, output: [] });
    const create = (key: object) => retried(timed.post(IMAGES, IMAGE, { ...key }));
    expect(await passTime(MOVED_TIME.clock, Promise.all([create({}), create(KEY)]))).toEqual([
      [504, "false"],
      [504, null],
    ]);
  });
});

it("names the image that was made where its file cannot be read now", async () => {
  harness.answerAll({});
  const error = await errorOf(createImage());
  const details = { generation_id: harness.requestsTo("createImage")[0]?.generationId };
  const doc_url = `${harness.url}/docs/errors#unavailable`;
  expect(error).toMatchObject({ status: 503, code: "unavailable", details, doc_url });
});

it("says how a video is canceled that cannot be deleted yet", async () => {
  const message = "The generation has not ended. Cancel it or wait for its end, then delete it.";
  harness.backends.deleteGeneration = refusing("NOT_FINISHED", message);
  const path = "/openai/v1/videos/vgen_2zjrwfavgwd8tj2ht7shw0cw42";
  const error = await errorOf(harness.sendBare("DELETE", path));
  expect(error.message).toContain("it by POST /v1/videos/generations/{id}/cancel or wait");
});

it("lists the models of the route where a request names none, in a form too", async () => {
  harness.backends.listModels = () => ({ models: catalogModels });
  const none = { model: undefined, size: 1 };
  const image = await errorOf(harness.post(IMAGES, { ...IMAGE, ...none }));
  const message = "model is required. Use gamma-image-3.0-pro. GET /openai/v1/models lists them.";
  expect(image).toMatchObject({ code: "missing_field", param: "model", message });
  expect(image.errors?.[0]).toMatchObject({ code: "missing_field", param: "model", message });
  const video = await errorOf(sendForm("/videos", formOf({ prompt: "a boat" })));
  expect(video).toMatchObject({ code: "missing_field", param: "model" });
  expect(video.message).toMatch(
    /^model is required\. Use one of alpha-2\.0, [^.]+\..*beta-3\.0-video/,
  );
  expect(video.message).not.toContain("gamma");
});

describe("a picture whose create is refused", () => {
  const form = (more: Record<string, string | Blob> = {}) =>
    formOf({ ...VIDEO, input_reference: new File([PNG], "a.png"), ...more });
  const count = (name: "createFile" | "deleteFile") => harness.requestsTo(name).length;

  it("is deleted again, unless a repetition with the key will look for it", async () => {
    const message = "alpha-2.0 takes no image_url that POST /v1/files returns. GET /v1/models.";
    const field = { field: "image_url" };
    harness.backends.createVideo = refusing("IMAGE_URL_NOT_SUPPORTED", message, field);
    expect(await errorOf(sendForm("/videos", form()))).toMatchObject({
      code: "image_url_not_supported",
      param: "input_reference",
      message: message
        .replace("image_url", "input_reference")
        .replace("/v1/models", "/openai/v1/models"),
    });
    expect(count("deleteFile")).toBe(1);
    await sendForm("/videos", form(), KEY);
    expect([count("createFile"), count("deleteFile")]).toEqual([2, 1]);
  });

  it("is the only one, and is stored only for an account that may create", async () => {
    const two = form({ "input_reference[file_id]": "file_5q0m8tjx1n9c6w2hzd4rk7vbya" });
    const ambiguous = { code: "invalid_value", param: "input_reference" };
    expect(await errorOf(sendForm("/videos", two))).toMatchObject(ambiguous);
    const { accountId, secret } = await harness.newKey();
    await harness.owner`update gateway.accounts set suspended_at = now() where account_id = ${accountId}`;
    for (const key of [{}, KEY]) {
      const headers = { authorization: `Bearer ${secret}`, ...key };
      const refused = await errorOf(sendForm("/videos", form(), headers));
      expect(refused).toMatchObject({ code: "account_suspended" });
    }
    expect(count("createFile")).toBe(0);
  });

  it("is not read as text, nor a text as a file", async () => {
    const prompt = new File(["a boat"], "prompt.txt");
    const { errors } = await errorOf(sendForm("/videos", form({ input_reference: "a", prompt })));
    expect(new Set(errors?.map(({ code, param }) => `${param} ${code}`))).toEqual(
      new Set(["input_reference invalid_type", "prompt invalid_type"]),
    );
    expect(harness.calls.filter(({ method }) => method !== "listModels")).toEqual([]);
  });
});

const HEADS = [
  "data:image/jpg;base64,",
  "DATA:Image/PNG;BASE64,",
  "data:image/png;name=a.png;base64,",
];

it.each(HEADS)("reads an input_reference as a data URL that declares %s", async (head) => {
  const image_url = `${head}${Buffer.from(PNG).toString("base64")}`;
  expect((await createVideo({ input_reference: { image_url } })).status).toBe(200);
  expect(harness.requestsTo("createFile")).toMatchObject([{ content: PNG }]);
});

/** The error of a request that a client of this kind sends: "POST /v1/videos". */
const errorFor = (line: string, client: Record<string, string> = {}) => {
  const [method = "", path = ""] = line.split(" ");
  const body = method === "POST" ? { body: JSON.stringify(IMAGE) } : {};
  const headers = headersOf(harness.key.secret, client);
  return errorOf(harness.send(path, { method, headers, ...body }));
};
const BY_STAINLESS = { "x-stainless-lang": "js" };

it.each([
  ["POST /v1/images/generations", 400, "invalid_value"],
  ["POST /v1/videos", 404, "route_not_found"],
  ["GET /v1/videos", 404, "route_not_found"],
  ["DELETE /v1/videos/vgen_2zjrwfavgwd8tj2ht7shw0cw42", 404, "route_not_found"],
  ["POST /videos", 404, "route_not_found"],
])("tells a client of OpenAI's that sends %s its base URL", async (line, status, code) => {
  const error = await errorFor(line, BY_STAINLESS);
  const message = expect.stringContaining(`need the base URL ${harness.url}/openai/v1. Correct`);
  expect(error).toMatchObject({ status, code, message });
  expect(error.param).toBeUndefined();
  expect(harness.calls).toEqual([]);
});

it.each([
  ["POST /v1/video", "Did you mean /v1/videos/generations? Correct the path"],
  ["POST /v1/messages", "There is nothing at this path"],
])("tells another client that Stainless made and sends %s the same as any", async (line, said) => {
  const [by, other] = [await errorFor(line, BY_STAINLESS), await errorFor(line)];
  expect(by).toMatchObject({ status: 404, code: "route_not_found", message: other.message });
  expect(by.message).toContain(said);
  expect(by.message).not.toContain("OpenAI");
});

describe("a field that the dialect has not", () => {
  const schemas = Object.entries(document.components.schemas as Record<string, Noted>);
  const fields = schemas.flatMap(([schema, { "x-instead-of": notes = {} }]) =>
    Object.entries(notes).map(([name, instead]) => [schema, name, instead] as const),
  );
  const PATHS: Record<string, string> = {
    OpenaiCreateVideoRequest: "/videos",
    OpenaiCreateVideoForm: "/videos",
    OpenaiCreateImageRequest: "/images/generations",
    OpenaiEditImageForm: "/images/edits",
  };

  it.each(fields)("of %s is refused with what to do: %s", async (schema, name, instead) => {
    const path = PATHS[schema] ?? "";
    const sent = schema.endsWith("Form")
      ? sendForm(path, formOf({ ...VIDEO, image: new File([PNG], "a.png"), [`${name}[a]`]: "b" }))
      : harness.post(`/openai/v1${path}`, { ...VIDEO, [name]: { simulate: "hang" } });
    const { errors = [], ...error } = await errorOf(sent);
    const refused = [error, ...errors].find(({ param }) => param?.startsWith(name));
    expect(refused).toMatchObject({
      code: "unknown_field",
      message: `Unknown field: ${refused?.param}. ${instead}`,
    });
  });

  it("is among them for all that OpenAI's clients can send", () => {
    const names = fields.map(([schema, name]) => `${PATHS[schema]} ${name}`);
    const ofImages = "mask style input_fidelity output_compression partial_images".split(" ");
    expect(names).toEqual(
      expect.arrayContaining([
        ...ofImages.map((name) => `/images/generations ${name}`),
        ...ofImages.map((name) => `/images/edits ${name}`),
      ]),
    );
  });

  it.each([
    ["/videos", "CreateVideoGenerationRequest", "OpenaiCreateVideoRequest"],
    ["/images/generations", "CreateImageGenerationRequest", "OpenaiCreateImageRequest"],
  ] as const)("and the API itself has says where it is sent: to %s", async (path, api, dialect) => {
    const { schemas: own } = media.components;
    const { properties } = document.components.schemas[dialect];
    const names = Object.keys(own[api].properties).filter((name) => !(name in properties));
    const sent = Object.fromEntries(names.map((name) => [name, 1]));
    const { errors } = await errorOf(harness.post(`/openai/v1${path}`, { ...VIDEO, ...sent }));
    const next =
      /\. (Only the service's own API (?:takes|has) it|Did you mean "\w+"|Send .* as \w+)/;
    expect(errors?.map(({ param, message }) => [param, next.test(message)])).toEqual(
      names.map((name) => [name, true]),
    );
  });
});

it("a large body may be a picture, and is refused before it is parsed where it consists of small parts", async () => {
  const more = Array.from({ length: 300_000 }, () => 1);
  const message = expect.stringContaining("8000 commas");
  const refused = { status: 413, code: "body_too_large", message };
  expect(await errorOf(createVideo({ more }))).toMatchObject(refused);
  const image_url = `data:image/png;base64,${"A".repeat(600_000)}`;
  expect((await createVideo({ input_reference: { image_url } })).status).not.toBe(413);
  // OpenAI's package sends a form.
  const form = formOf({ ...VIDEO, "input_reference[image_url]": image_url });
  expect((await sendForm("/videos", form)).status).not.toBe(413);
});

describe("the end user", () => {
  const created = () => {
    const requests = [...harness.requestsTo("createVideo"), ...harness.requestsTo("createImage")];
    return requests.map(({ input }) => input?.endUser);
  };

  it.each([
    [{ user: "ann" }, "ann"],
    [{ safety_identifier: "bob" }, "bob"],
    [{ user: "ann", safety_identifier: "bob" }, "bob"],
    [{ user: null }, undefined],
    [{}, undefined],
  ])("of a create with %j is %s", async (named, endUser) => {
    await createVideo(named);
    await harness.post(IMAGES, { ...IMAGE, ...named });
    expect(created()).toEqual([endUser, endUser]);
  });

  it("of a form is taken as that of JSON", async () => {
    const picture = new File([PNG], "a.png", { type: "image/png" });
    await sendForm("/images/edits", formOf({ ...IMAGE, user: "ann", image: picture }));
    expect(created()).toEqual(["ann"]);
  });

  it("of a form's part of JSON is what that stands for", async () => {
    const type = 'name="user"\r\nContent-Type: application/json';
    const parts = [
      `${type}\r\n\r\n"ann"`,
      'name="model"\r\n\r\nalpha-2.0',
      'name="prompt"\r\n\r\na',
    ];
    const body = parts.map((part) => `--x\r\nContent-Disposition: form-data; ${part}\r\n`);
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    await harness.sendBytes("/openai/v1/videos", `${body.join("")}--x--\r\n`, headers);
    expect(created()).toEqual(["ann"]);
  });
});
