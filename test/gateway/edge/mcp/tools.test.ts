/** The tools of /mcp, as the official clients of both eras of the protocol see them. */
import { create } from "@bufbuild/protobuf";
import {
  Availability,
  Kind,
  ModelSchema,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isOfOtherRoute } from "#vocabulary/what-model-takes.ts";
import { makeImage } from "../../../support/make-media.ts";
import { catalogModels, image, refusing, video } from "../../backends.ts";
import { useHarness, WITHOUT_EVENTS } from "../../harness.ts";
import { passTime } from "../../requests.ts";
import { CLIENTS, modern, rawRequest, type McpClient } from "./clients.ts";

const TOOLS = [
  "list_models",
  "list_generations",
  "get_generation",
  "cancel_generation",
  "get_balance",
  "upload_image",
  "generate_video",
  "generate_image",
];
const LEAST = { model: "beta-3.0-video", prompt: "a cat", idempotency_key: "cat-1" };
const IMAGE = { ...LEAST, model: "gamma-image-3.0-pro" };
const VIDEO_ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
const IMAGE_ID = "igen_2zjrwfavgwd8tj2ht7shw0cw42";
const SIZE = { width: 1280, height: 720, bytes: 9n, duration: 5 };
const OUTPUT = { key: "a/0.mp4", contentType: "video/mp4", ...SIZE };

const harness = useHarness();

const connected = (connect = modern, key = harness.key.secret): Promise<McpClient> =>
  connect(harness.url, key);
const textOf = ({ content: [first] }: Awaited<ReturnType<McpClient["call"]>>) => first?.text ?? "";
const refusedWith = (code: string) => ({ isError: true, structuredContent: { error: { code } } });

const DONE = { status: Status.SUCCESS, progress: 100, output: [OUTPUT] };
const answerSuccess = () => harness.answerAll(DONE);

it("a client of 2025-03-26 gets results without the links that its version does not have", async () => {
  answerSuccess();
  const params = { name: "get_generation", arguments: { id: VIDEO_ID } };
  const { headers } = rawRequest(harness.key.secret, "tools/call", params);
  const { "mcp-protocol-version": _, ...own } = headers;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const answer = await harness.send("/mcp", { method: "POST", headers: own, body });
  const text = await answer.text();
  expect([answer.status, text.includes("resource_link")]).toEqual([200, false]);
  expect(text).toContain("/assets/a/0.mp4");
});

const NO_IDS = ["..", "../../balance", "x".repeat(66_000), "vgen_", "\ud800"];

it.each(NO_IDS)("an id that is none is refused, and leads nowhere else (%#)", async (id) => {
  await using client = await connected();
  for (const name of ["get_generation", "cancel_generation"])
    expect(await client.call(name, { id })).toMatchObject(refusedWith("generation_not_found"));
  expect(harness.calls).toEqual([]);
});

describe.each(CLIENTS)("a client of %s", (version, connect) => {
  it("agrees on its version, is told whether its key spends, and finds tools whose inputs are those of the document", async () => {
    await using client = await connected(connect);
    expect(client.version()).toBe(version);
    expect(client.instructions()).toContain("test mode");
    await using live = await connected(connect, (await harness.newKey("live")).secret);
    expect(live.instructions()).toContain("is charged");
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    const generate = tools.find(({ name }) => name === "generate_video");
    const roles = {
      properties: { role: { enum: ["subject", "style"] } },
      required: ["url", "role"],
    };
    expect(generate?.inputSchema).toMatchObject({
      required: ["model", "prompt", "idempotency_key"],
      additionalProperties: false,
      properties: {
        prompt: { type: "string", maxLength: 5_000, description: "What the video shows." },
        duration: { type: "integer", minimum: 1, maximum: 3_600 },
        reference_images: { type: "array", items: roles },
        wait_seconds: { maximum: 45 },
        idempotency_key: { maxLength: 191, pattern: "^[!-~]+$" },
      },
    });
    expect(generate?.inputSchema).not.toHaveProperty("properties.webhook_url");
    expect(generate?.description).toContain("costs Tokens");
    expect(JSON.stringify(generate?.inputSchema)).not.toMatch(/\w,?\\n\w/);
  });

  it("is told the types of all results, compares them, and finds generations again by what is known of them", async () => {
    answerSuccess();
    harness.backends.listModels = () => ({ models: catalogModels });
    const failedImage = image({ id: IMAGE_ID, status: Status.FAILED });
    harness.backends.listGenerations = ({ kind }) => {
      return { generations: kind === Kind.IMAGE ? [failedImage] : [video()], hasMore: true };
    };
    await using client = await connected(connect);
    // The client checks each result by these, a refusal too.
    for (const { outputSchema: schema } of await client.tools())
      expect(schema).toHaveProperty("anyOf.0.required.0");
    const data = makeImage("png").toString("base64");
    for (const [name, input] of [
      ["list_models", {}],
      ["get_generation", { id: IMAGE_ID }],
      ["get_balance", {}],
      ["upload_image", { data }],
      ["generate_video", LEAST],
      ["generate_image", IMAGE],
    ] as const)
      expect(await client.call(name, input)).not.toHaveProperty("isError", true);
    expect(await client.call("get_generation", { id: "x" })).toHaveProperty("isError", true);
    const filter = { kind: "image", status: "failed", created_after: "2026-11-01T00:00:00Z" };
    const found = await client.call("list_generations", { ...filter, after: IMAGE_ID });
    const failed = { id: IMAGE_ID, status: "failed" };
    expect(found.structuredContent).toMatchObject({ data: [failed], has_more: true });
    // Clients that have to send every field send null for what is absent.
    await client.call("list_generations", { limit: 3, status: null, kind: null });
    expect(harness.requestsTo("listGenerations")).toMatchObject([
      { kind: Kind.IMAGE, status: Status.FAILED, after: IMAGE_ID, limit: 10 },
      { kind: Kind.VIDEO, limit: 3 },
    ]);
    const refused = await client.call("list_generations", { kind: "sound", limit: 200 });
    expect(textOf(refused)).toMatch(/kind, .*\n.*limit, out_of_range/);
  });

  it("gets links to the outputs, and no bytes of them", async () => {
    answerSuccess();
    await using client = await connected(connect);
    const { content, structuredContent } = await client.call("get_generation", { id: VIDEO_ID });
    const uri = "https://media.example.com/assets/a/0.mp4";
    const link = { type: "resource_link", uri, mimeType: "video/mp4", name: VIDEO_ID };
    expect(content).toMatchObject([{ type: "text" }, link]);
    expect(structuredContent).toMatchObject({ status: "success", output: [{ url: uri }] });
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
  });

  it("waits for the end, and hears of the progress meanwhile, each time of more", async () => {
    answerSuccess();
    const states = [10, 10, 10, 40, 100];
    let reads = 0;
    harness.backends.getGeneration = ({ generationId: id }) => {
      const progress = states[Math.min(reads++, states.length - 1)] ?? 0;
      const done = progress === 100 ? DONE : {};
      return { generation: video({ id, status: Status.PROCESSING, progress, ...done }) };
    };
    await using client = await connected(connect);
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => heard.push(progress);
    const input = { id: VIDEO_ID, wait_seconds: 45 };
    const result = await client.call("get_generation", input, { onprogress });
    expect(result.structuredContent).toMatchObject({ status: "success", progress: 100 });
    expect(heard).toHaveLength(3);
    expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b));
  });

  it("gets each fault of an input with its field and what is allowed", async () => {
    await using client = await connected(connect);
    const spaced = await client.call("generate_video", { ...LEAST, idempotency_key: "has space" });
    expect(textOf(spaced)).toMatch(
      /^Send one idempotency_key of .* without spaces\. \(idempotency_key, invalid_idempotency_key\)$/,
    );
    const typed = await client.call("list_generations", { type: "video" });
    expect(textOf(typed)).toContain('Unknown field: type. Did you mean "kind"?');
    const faulty = { prompt: "", duration: 0, wait_seconds: 60, colour: "red" };
    const result = await client.call("generate_video", { model: LEAST.model, ...faulty });
    expect(textOf(result).split("\n")).toEqual([
      "prompt must have at least 1 character. (prompt, too_short)",
      "duration must be from 1 to 3600. (duration, out_of_range)",
      "wait_seconds must be from 0 to 45. (wait_seconds, out_of_range)",
      "idempotency_key is required. Add it. (idempotency_key, missing_field)",
      expect.stringMatching(
        /^Unknown field: colour. Remove it, or use one of model, prompt,.* \(colour, unknown_field\)$/,
      ),
    ]);
    const doc_url = expect.stringContaining("/docs/");
    const error = { code: "too_short", doc_url };
    expect(result).toMatchObject({ isError: true, structuredContent: { error } });
    expect(harness.requestsTo("createVideo")).toEqual([]);
  });
});

it("generate_video answers the id, the price and what to do next; the same generation for the same key, as by REST", async () => {
  await using client = await connected();
  const generate = async (more = {}) => {
    const answer = await client.call("generate_video", { ...LEAST, ...more });
    expect(answer.isError).not.toBe(true);
    return answer.structuredContent;
  };
  const one = await generate();
  const next = expect.stringContaining("get_generation");
  expect(one).toMatchObject({ status: "pending", credits: 500, mode: "test", next });
  const [asked] = harness.requestsTo("createVideo");
  expect(asked).toMatchObject({ model: LEAST.model, input: { prompt: LEAST.prompt } });
  const { idempotency_key: key, ...body } = LEAST;
  const rest = await harness.post("/v1/videos/generations", body, { "idempotency-key": key });
  for (const same of [await generate(), await rest.json()])
    expect(same).toMatchObject({ id: one?.["id"] });
  expect((await generate({ idempotency_key: "cat-2" }))?.["id"]).not.toBe(one?.["id"]);
});

describe("list_models", () => {
  it("is named to whoever asks for an unknown model, in place of the request that lists them", async () => {
    const message = "GET /v1/models lists them.";
    harness.backends.createVideo = refusing("MODEL_NOT_FOUND", message, { field: "model" });
    await using client = await connected();
    const result = await client.call("generate_video", LEAST);
    expect(textOf(result)).toBe("list_models lists them. (model, model_not_found)");
  });

  it("lists the models that can be used, of one kind, with their prices and how they are counted", async () => {
    const pricing = { unit: "second", unitQuantity: 5, tokens: 169n };
    const model = (id: string, kind: Kind, availability: Availability = Availability.AVAILABLE) =>
      create(ModelSchema, { id, kind, availability, inputs: ["text"], pricing });
    const unusable = model("b", Kind.VIDEO, Availability.DISABLED);
    const models = [model("a", Kind.VIDEO), unusable, model("c", Kind.IMAGE)];
    harness.backends.listModels = () => ({ models });
    await using client = await connected();
    const { structuredContent } = await client.call("list_models", { kind: "video" });
    expect(structuredContent).toMatchObject({
      mode: "test",
      how_priced: expect.stringMatching(/^[^\n]*`unit_quantity`[^\n]*$/),
      models: [{ id: "a", pricing: { tokens: 169, unit_quantity: 5 } }],
    });
    const unknown = await client.call("generate_image", { ...IMAGE, model: "nope", prompt: "" });
    expect(textOf(unknown)).toMatch(/^There is no model "nope"\. Use c\. list_models lists them\./);
    const listed = await client.call("list_generations", { limit: 200, model: "of-last-year" });
    expect(textOf(listed)).not.toContain("There is no model");
  });
});

describe("the tools for images", () => {
  it("tell why an image is not made, also to a client that hears of progress", async () => {
    const message = "size: gamma-image-3.0-pro takes 1024x1024.";
    harness.backends.createImage = refusing("UNSUPPORTED_SIZE", message, { field: "size" });
    await using client = await connected();
    const input = { ...IMAGE, size: "1x1" };
    const refused = await client.call("generate_image", input, { onprogress: () => {} });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/\(size, unsupported_size\)$/);
    const other = isOfOtherRoute({ id: "beta-3.0-video", kind: Kind.VIDEO });
    harness.backends.createImage = refusing("MODEL_KIND_MISMATCH", other, { field: "model" });
    expect(textOf(await client.call("generate_image", IMAGE))).toBe(
      "beta-3.0-video makes videos: use generate_video. (model, model_kind_mismatch)",
    );
  });

  it("store a picture in base64 or as a data URL, and refuse what is none, or a path in place of its URL", async () => {
    await using client = await connected();
    const path = await client.call("generate_image", { ...IMAGE, image_urls: ["./cat.png"] });
    expect(textOf(path)).toMatch(/Send a file of your own by upload_image, and its url here\. \(/);
    const picture = makeImage("png");
    const base64 = picture.toString("base64");
    const urls = [`data:image/png;base64,${base64}`, `DATA:image/png;base64,${base64}`];
    for (const data of [base64, ...urls]) {
      const { structuredContent } = await client.call("upload_image", { data });
      const url = expect.stringMatching(/^https:\/\/media\.example\.com\/assets\//);
      expect(structuredContent).toMatchObject({ url });
    }
    const stored = harness.requestsTo("createFile").map(({ content }) => picture.equals(content));
    expect(stored).toEqual([true, true, true]);
    // The last would take hours, were it read again from each of its characters.
    for (const data of ["a picture!", "data:,", `a${" ".repeat(3_000_000)}!`]) {
      const refused = await client.call("upload_image", { data });
      expect(textOf(refused)).toMatch(/base64.*\(data, invalid_value\)$/);
    }
    harness.backends.createFile = refusing("UNREADABLE_FILE", "No picture.", { field: "file" });
    const refused = await client.call("upload_image", { data: "notb64" });
    expect(textOf(refused)).toBe("No picture. (data, invalid_value)");
    for (const [name, input] of [
      ["upload_image", { data: base64 }],
      ["generate_image", IMAGE],
    ] as const) {
      const unknown = await client.call(name, { ...input, file: "cat.png" });
      expect(textOf(unknown)).toMatch(/^Unknown field: file\. .* \(file, unknown_field\)$/);
    }
  });

  const slow = useHarness(WITHOUT_EVENTS);
  const { clock } = WITHOUT_EVENTS;

  it("answer the id of an image that takes longer than 45 seconds, to be read later", async () => {
    const unfinished = { status: Status.PROCESSING, output: [], progress: 0 };
    slow.answerAll(unfinished);
    await using client = await modern(slow.url, slow.key.secret);
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => heard.push(progress);
    const answer = client.call("generate_image", IMAGE, { onprogress });
    const startedMs = clock.now().getTime();
    await expect.poll(() => heard.length).toBe(1);
    const { structuredContent, isError } = await passTime(clock, answer);
    const id = slow.requestsTo("createImage")[0]?.generationId;
    const next = expect.stringContaining("get_generation");
    expect(isError).not.toBe(true);
    expect(structuredContent).toMatchObject({ id, status: "processing", next });
    expect(clock.now().getTime() - startedMs).toBeGreaterThanOrEqual(45_000);
  });
});

it("a client that waits ends that by leaving, and cancels nothing", async () => {
  const read = Promise.withResolvers<void>();
  harness.backends.getGeneration = ({ generationId: id }) => {
    read.resolve();
    return { generation: video({ id, status: Status.PROCESSING }) };
  };
  await using client = await connected();
  const left = new AbortController();
  const options = { signal: left.signal, onprogress: () => {} };
  const call = client.call("generate_video", { ...LEAST, wait_seconds: 45 }, options);
  await read.promise;
  left.abort();
  await expect(call).rejects.toThrow(/abort/i);
  // Another wait, which ends with the first look at which the client's is no longer waited for.
  harness.backends.findEnded = ({ generations }) => {
    const isOver = generations.every(({ generationId }) => generationId === VIDEO_ID);
    if (isOver) answerSuccess();
    return { generationIds: isOver ? [VIDEO_ID] : [] };
  };
  const waited = await client.call("get_generation", { id: VIDEO_ID, wait_seconds: 45 });
  expect(waited.structuredContent).toMatchObject({ status: "success" });
  expect(harness.requestsTo("cancelGeneration")).toEqual([]);
});
