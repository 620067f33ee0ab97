/** The checks of request bodies beyond the faults that test/contract/openapi derives from the document. */
import { describe, expect, it } from "vitest";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

const VIDEOS = "/v1/videos/generations";
const IMAGES = "/v1/images/generations";
const LEAST = { model: "m", prompt: "a cat" };

const harness = useHarness();

const send = (path: string, body: unknown, more: Record<string, string> = {}) =>
  harness.send(path, post(harness.key.secret, body, more));

/** The error of a refused body; `errors` is undefined when there is only one fault. */
async function faultOf(path: string, body: unknown) {
  const response = await send(path, body);
  const { type, code, param, errors } = await errorOf(response);
  const isPassedOn = harness.calls.some(({ method }) => method !== "listModels");
  return { status: response.status, type, code, param, errors, isPassedOn };
}

const fault = (code: string, param?: string) => ({
  status: 400,
  type: "invalid_request_error",
  code,
  param,
  errors: undefined,
  isPassedOn: false,
});

const messageOf = async (body: object) =>
  (await errorOf(await send(VIDEOS, { ...LEAST, ...body }))).message;

const long = (characters: number) => "😀".repeat(characters);
const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

describe("an invalid field", () => {
  it.each<[string, string, object, string, string]>([
    [VIDEOS, "too short", { ...LEAST, prompt: "" }, "too_short", "prompt"],
    [VIDEOS, "only spaces", { ...LEAST, prompt: " \u00a0\n" }, "invalid_value", "prompt"],
    [IMAGES, "only spaces", { ...LEAST, prompt: "\t" }, "invalid_value", "prompt"],
  ])("%s %s is refused: %j", async (path, _what, body, code, param) => {
    expect(await faultOf(path, body)).toEqual(fault(code, param));
  });

  it("has a message that says what to send instead", async () => {
    expect(await messageOf({ duration: "5" })).toBe(
      "duration must be an integer. Send 5 without quotation marks.",
    );
    expect(await messageOf({ duration: "five" })).toBe("duration must be an integer.");
    expect(await messageOf({ duration: 0 })).toBe("duration must be from 1 to 3600.");
    expect(await messageOf({ prompt: long(5_001) })).toBe(
      "prompt must have at most 5000 characters; it has 5001.",
    );
    const ofRatios = "GET /v1/models says which values each model takes, as aspect_ratios.";
    expect(await messageOf({ aspect_ratio: "wide" })).toBe(
      `aspect_ratio does not have the right form. An example: "16:9". ${ofRatios}`,
    );
    for (const size of ["big", "1024*1024"]) {
      const refused = await errorOf(await send(IMAGES, { ...LEAST, size }));
      expect(refused.message).toBe(
        'size does not have the right form. An example: "1024x1024". GET /v1/models says which values each model takes, as sizes.',
      );
    }
    expect(await messageOf({ prompt: "\0" })).toBe(
      "prompt must be well-formed Unicode without NUL characters.",
    );
    expect(await messageOf({ prompt: "  " })).toBe("prompt must not consist of spaces only.");
    expect(await messageOf({ promt: "a cat" })).toBe(
      'Unknown field: promt. Did you mean "prompt"? Remove it or correct its name.',
    );
    expect(await messageOf({ colour: "red" })).toMatch(
      /^Unknown field: colour\. Remove it, or use one of model, prompt, image_url, .*, metadata\.$/,
    );
    const reference_images = [{ url: "https://a.example/", role: "subject", weight: 1 }];
    expect(await messageOf({ reference_images })).toBe(
      "Unknown field: reference_images[0].weight. Remove it, or use one of url, role.",
    );
    const { message } = await errorOf(await send(IMAGES, { ...LEAST, background: "blue" }));
    expect(message).toBe("background must be one of opaque, transparent.");
    expect(await messageOf({ aspect_ratio: "" })).toBe(
      `aspect_ratio does not have the right form. An example: "16:9". ${ofRatios}`,
    );
    expect(await messageOf({ resolution: "4k" })).toBe(
      'resolution does not have the right form. An example: "720P". GET /v1/models says which values each model takes, as parameters.resolution.values.',
    );
    expect(await messageOf({ image_url: "file_2zjrwfavgwd8tj2ht7shw0cw42" })).toBe(
      "image_url must be the url of the file, not its id.",
    );
    for (const inline of [
      "data:image/png;base64,iVBO",
      `data:image/png;base64,${long(3_000)}`,
      "iVBORw0KGgo=",
      `/9j/${"A".repeat(3_000)}`,
    ]) {
      expect(await messageOf({ image_url: inline })).toBe(
        "image_url must not hold the picture itself. Send the picture by POST /v1/files, and its url here.",
      );
    }
    expect(await messageOf({ image_url: "http://a.example/" })).toBe(
      "image_url: the URL must begin with https://.",
    );
    expect(await messageOf({ metadata: { [long(65)]: "v" } })).toBe(
      `The name of metadata.${long(65)} must have at most 64 characters; it has 65.`,
    );
    expect(await messageOf(JSON.parse('{"metadata":{"__proto__":"v"}}') as object)).toBe(
      'The name of metadata.__proto__ does not have the right form. An example: "order_id".',
    );
  });

  it.each([
    [{ promt: "a cat" }, 'You sent "promt": correct its name.'],
    [{ colour: "red", text: "a cat" }, 'You sent "text": correct its name.'],
    [{ input: { prompt: "a cat" } }, 'You sent it within "input": take it out of there.'],
    [{ "prompt\ud800": "a cat" }, 'You sent "prompt\ufffd": correct its name.'],
    [{ colour: "red", input: null }, "Add it."],
  ])(
    "that is required is missing: the first message says what was sent instead, %j",
    async (body, said) => {
      const error = await errorOf(await send(VIDEOS, { model: "m", ...body }));
      expect(error).toMatchObject({ code: "missing_field", param: "prompt" });
      expect(error.message).toBe(`prompt is required. ${said}`);
    },
  );

  it("is refused when any text has a lone surrogate, by an answer that has none", async () => {
    const lone = String.raw`{"model":"m","prompt":"a\ud800b"}`;
    expect(await faultOf(VIDEOS, lone)).toEqual(fault("invalid_value", "prompt"));
    const name = String.raw`{"model":"m","prompt":"a","metadata":{"\udc00":"v"}}`;
    expect(await faultOf(VIDEOS, name)).toEqual(fault("invalid_value", "metadata.\ufffd"));
    const unknown = String.raw`{"model":"m","prompt":"a","\udc00":"v"}`;
    expect(await faultOf(VIDEOS, unknown)).toEqual(fault("unknown_field", "\ufffd"));
  });

  it("is refused when it is named __proto__, at either depth", async () => {
    const own = '{"model":"m","prompt":"a","__proto__":{"duration":5}}';
    expect(await faultOf(VIDEOS, own)).toEqual(fault("unknown_field", "__proto__"));
    const inner = '{"model":"m","prompt":"a","metadata":{"__proto__":"v"}}';
    expect(await faultOf(VIDEOS, inner)).toEqual(fault("invalid_value", "metadata.__proto__"));
    const constructor = '{"model":"m","prompt":"a","constructor":{"prototype":1}}';
    expect(await faultOf(VIDEOS, constructor)).toEqual(fault("unknown_field", "constructor"));
  });

  it.each<[string, string, (url: string) => object]>([
    [VIDEOS, "webhook_url", (webhook_url) => ({ webhook_url })],
    [VIDEOS, "image_url", (image_url) => ({ image_url })],
    [VIDEOS, "last_image_url", (last_image_url) => ({ last_image_url })],
    [VIDEOS, "video_url", (video_url) => ({ video_url })],
    [
      VIDEOS,
      "reference_images[0].url",
      (url) => ({ reference_images: [{ url, role: "subject" }] }),
    ],
    [IMAGES, "image_urls[0]", (url) => ({ image_urls: [url] })],
    [IMAGES, "mask_url", (mask_url) => ({ mask_url })],
  ])("is refused when it is a URL whose host is not public: %s %s", async (path, param, field) => {
    const body = { ...LEAST, ...field("https://127.0.0.1/a") };
    expect(await faultOf(path, body)).toEqual(fault("url_not_allowed", param));
  });

  it.each([
    ["http://localhost:3000/hook", "must begin with https:// and name a public host"],
    ["https://192.168.0.7/hook", "must name a public host"],
    ["localhost:3000/hook", "must begin with https://"],
    ["127.0.0.1:3000/hook", "must be a complete URL such as https://example.com/path"],
  ])(
    "is refused at once for all that is wrong with a URL of one's own machine: %s",
    async (url, reason) => {
      const guide = "/docs/guides/webhook-receivers#on-your-machine";
      expect(await messageOf({ webhook_url: url })).toBe(
        `webhook_url: the URL ${reason}. For events on your own machine run media-generation listen: see ${guide}.`,
      );
      expect(await messageOf({ image_url: url })).toBe(`image_url: the URL ${reason}.`);
      const [path = "", section = ""] = guide.split("#");
      expect(await (await harness.send(path)).text()).toContain(`id="${section}"`);
    },
  );

  it("is reported as too long before its URL is checked", async () => {
    const url = `https://a.example/${"x".repeat(2_048)}`;
    expect(await faultOf(VIDEOS, { ...LEAST, image_url: url })).toEqual(
      fault("too_long", "image_url"),
    );
  });
});

describe("several faults", () => {
  it("are listed in the document's order, unknown fields last, and the first is the main error", async () => {
    const body = {
      zzz: 1,
      metadata: { b: 1, a: 2 },
      duration: "5",
      aaa: 1,
      negative_prompt: 1,
      prompt: "",
    };
    const error = await errorOf(await send(VIDEOS, body));
    expect(error.errors?.map(({ code, param }) => `${param} ${code}`)).toEqual([
      "model missing_field",
      "prompt too_short",
      "duration invalid_type",
      "negative_prompt invalid_type",
      "metadata.b invalid_type",
      "metadata.a invalid_type",
      "zzz unknown_field",
      "aaa unknown_field",
    ]);
    const [first] = error.errors ?? [];
    expect(error).toMatchObject({ ...first });
  });

  it("of headers and query are reported together, before the body is read", async () => {
    const response = await send(`${VIDEOS}?x=1`, "not json", { "idempotency-key": "a b" });
    const error = await errorOf(response);
    expect(error.errors?.map(({ param }) => param)).toEqual(["Idempotency-Key", "x"]);
  });

  it("are at most a hundred, however many there are", async () => {
    const error = await errorOf(await send(VIDEOS, { ...LEAST, ...entries(1_000) }));
    expect(error.errors).toHaveLength(100);
  });

  it("are one in a body of more than 16 KiB, which is checked up to its first fault", async () => {
    const faulty = (bytes: number) => JSON.stringify({ duration: "5", x: 1 }).padEnd(bytes, " ");
    const all = await errorOf(await send(VIDEOS, faulty(16 * 1024)));
    expect(all.errors).toHaveLength(4);
    const first = await errorOf(await send(VIDEOS, faulty(16 * 1024 + 1)));
    expect([first.code, first.param, first.errors]).toEqual(["missing_field", "model", undefined]);
    for (const metadata of [
      entries(17_000),
      { ...entries(1), [long(60_000)]: "v" },
      { a: long(60_000) },
    ]) {
      const error = await errorOf(await send(VIDEOS, { ...LEAST, metadata }));
      expect([error.param?.split(".")[0], error.errors]).toEqual(["metadata", undefined]);
    }
  });

  it("are one in a large body also where it names stored files", async () => {
    const own = "https://media.example.com/assets/00000000000000000000000000.png";
    const body = { ...LEAST, image_url: own, duration: 0 };
    const padded = JSON.stringify(body).padEnd(20_000, " ");
    expect(await faultOf(VIDEOS, padded)).toEqual(fault("out_of_range", "duration"));
    expect((await send(VIDEOS, padded.replace('"duration":0', '"duration":5'))).status).toBe(202);
  });
});

describe("a body", () => {
  it("that is not JSON is answered with the place of the fault, of which a few characters are quoted", async () => {
    const { message } = await errorOf(await send(VIDEOS, '{\n  "prompt": a secret\n}'));
    expect(message).toBe(
      'The body is not JSON. At line 2, column 13 it has "a" in place of a value.',
    );
  });

  it.each([
    ['{"model":"m","prompt":"a","duration":5,"duration":10}', "duration"],
    [String.raw`{"model":"m","prompt":"a","promp\u0074":"a"}`, "prompt"],
    ['{"model":"m","prompt":"a","__proto__":1,"__proto__":2}', "__proto__"],
    ['{"model":"m","prompt":"a","metadata":{"a":"{","b":"","a":"}"}}', "metadata.a"],
    ['{"model":"m","prompt":"a","x":[[],{"b":1},{"c":[1,2],"c":1}]}', "x[2].c"],
  ])("that has a field twice is 400 invalid_value: %s", async (body, param) => {
    expect(await faultOf(VIDEOS, body)).toEqual(fault("invalid_value", param));
    const { message } = await errorOf(await send(VIDEOS, body));
    expect(message).toBe(`${param} is in the body twice. Send it once.`);
  });

  it("may have one name at several depths, and as text", async () => {
    const body = '{"model":"m","prompt":"\\"model\\":{\\"","metadata":{"model":"m","prompt":","}}';
    expect((await send(VIDEOS, body)).status).toBe(202);
  });

  it("that is not UTF-8 is 400 invalid_json", async () => {
    const body = Buffer.concat([Buffer.from('{"model":"'), Buffer.of(0xff), Buffer.from('"}')]);
    const response = await harness.send(VIDEOS, { ...post(harness.key.secret, ""), body });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "invalid_json",
      message: "The body is not UTF-8. Send its text in UTF-8.",
    });
  });

  it("that is absent, with and without a type, is 400 invalid_json", async () => {
    for (const headers of [
      headersOf(harness.key.secret),
      { authorization: `Bearer ${harness.key.secret}` },
    ]) {
      const response = await harness.send(VIDEOS, { method: "POST", headers });
      expect(response.status).toBe(400);
      expect((await errorOf(response)).code).toBe("invalid_json");
    }
  });

  it.each(["[]", "null", '"text"', "5", "true"])("that is %s is 400 invalid_type", async (body) => {
    expect(await faultOf(VIDEOS, body)).toEqual(fault("invalid_type"));
    const response = await send(VIDEOS, body);
    expect((await errorOf(response)).message).toBe("The body must be an object.");
  });

  it("that is an object in a text is said to be serialised twice", async () => {
    const { code, message } = await errorOf(
      await send(VIDEOS, JSON.stringify(JSON.stringify(LEAST))),
    );
    expect([code, message]).toEqual([
      "invalid_type",
      "The body must be an object, and is a text that holds one: it was serialised twice.",
    ]);
  });

  it("that is nested a hundred thousand deep is refused like any other", async () => {
    const depth = 100_000;
    const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(await faultOf(VIDEOS, deep)).toEqual(fault("invalid_type"));
    expect(await faultOf(VIDEOS, `{"model":"m","prompt":"a","x":${deep}}`)).toEqual(
      fault("unknown_field", "x"),
    );
    expect(await faultOf(VIDEOS, `{"model":"m","prompt":"a","metadata":${deep}}`)).toEqual(
      fault("invalid_type", "metadata"),
    );
  });
});
