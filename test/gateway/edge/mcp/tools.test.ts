/** The tools of /mcp, as the official clients of both eras of the protocol see them. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  Availability,
  Kind,
  ModelSchema,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { makeImage } from "../../../support/make-media.ts";
import { catalogModels, refusing, video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { CLIENTS, legacy, modern, rawRequest, type McpClient } from "./clients.ts";

const TOOLS = [
  "list_models",
  "get_generation",
  "cancel_generation",
  "get_balance",
  "upload_image",
  "generate_video",
  "generate_image",
];
const LEAST = { model: "beta-3.0-video", prompt: "a cat", idempotency_key: "cat-1" };
const VIDEO_ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
const OUTPUT = {
  key: "a/0.mp4",
  contentType: "video/mp4",
  width: 1280,
  height: 720,
  bytes: 9n,
  duration: 5,
};

const harness = useHarness();

const connected = (connect = modern, key = harness.key.secret): Promise<McpClient> =>
  connect(harness.url, key);
const textOf = ({ content: [first] }: Awaited<ReturnType<McpClient["call"]>>) => first?.text ?? "";
const callsOf = (method: string) => harness.calls.filter((call) => call.method === method);

describe("a client of 2025-03-26", () => {
  it("gets results without the links that its version does not have", async () => {
    harness.backends.getGeneration = ({ generationId: id }) => ({
      generation: video({ id, status: Status.SUCCESS, progress: 100, output: [OUTPUT] }),
    });
    const params = { name: "get_generation", arguments: { id: VIDEO_ID } };
    const { headers, ...init } = rawRequest(harness.key.secret, "tools/call", params);
    const { "mcp-protocol-version": _, ...own } = headers;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const answer = await harness.send("/mcp", { ...init, headers: own, body });
    const text = await answer.text();
    expect([answer.status, text.includes("resource_link")]).toEqual([200, false]);
    expect(text).toContain("/assets/a/0.mp4");
  });
});

describe("an id that is none", () => {
  it.each(["..", "../../balance", "x".repeat(66_000), "vgen_", "\ud800"])(
    "is refused, and leads nowhere else (%#)",
    async (id) => {
      await using client = await connected();
      for (const name of ["get_generation", "cancel_generation"]) {
        const result = await client.call(name, { id });
        expect(result).toMatchObject({
          isError: true,
          structuredContent: { error: { code: "generation_not_found" } },
        });
      }
      expect(harness.calls).toEqual([]);
    },
  );
});

describe.each(CLIENTS)("a client of %s", (version, connect) => {
  it("agrees on its version, and finds seven tools whose inputs are those of the document", async () => {
    await using client = await connected(connect);
    expect(client.version()).toBe(version);
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    const generate = tools.find(({ name }) => name === "generate_video");
    expect(generate?.inputSchema).toMatchObject({
      required: ["model", "prompt", "idempotency_key"],
      additionalProperties: false,
      properties: {
        prompt: { type: "string", maxLength: 5_000, description: "What the video shows." },
        duration: { type: "integer", minimum: 1, maximum: 3_600 },
        reference_images: {
          type: "array",
          items: {
            properties: { role: { enum: ["subject", "style"] } },
            required: ["url", "role"],
          },
        },
        wait_seconds: { maximum: 45 },
        idempotency_key: { maxLength: 191 },
      },
    });
    expect(generate?.inputSchema).not.toHaveProperty("properties.webhook_url");
    expect(generate?.description).toContain("costs Tokens");
  });

  it("is offered no field that none of the models takes", async () => {
    harness.backends.listModels = () => ({ models: catalogModels });
    await using client = await connected(connect);
    const tools = await client.tools();
    const fieldsOf = (name: string) => {
      const schema = tools.find((tool) => tool.name === name)?.inputSchema;
      return (schema as { properties: object } | undefined)?.properties;
    };
    expect(fieldsOf("generate_video")).toHaveProperty("last_image_url");
    expect(fieldsOf("generate_video")).not.toHaveProperty("reference_images");
    expect(fieldsOf("generate_image")).toHaveProperty("image_urls");
    expect(fieldsOf("generate_image")).not.toHaveProperty("mask_url");
  });

  it("is told whether its key spends", async () => {
    await using test = await connected(connect);
    expect(test.instructions()).toContain("test mode");
    await using live = await connected(connect, (await harness.newKey("live")).secret);
    expect(live.instructions()).toContain("is charged");
  });

  it("starts a video, and gets its id, what it costs and what to do next", async () => {
    await using client = await connected(connect);
    const { structuredContent, isError } = await client.call("generate_video", LEAST);
    expect(isError).not.toBe(true);
    expect(structuredContent).toMatchObject({
      status: "pending",
      credits: 500,
      mode: "test",
      next: expect.stringContaining("get_generation"),
    });
    const [call] = callsOf("createVideo");
    expect(call?.request).toMatchObject({ model: LEAST.model, input: { prompt: LEAST.prompt } });
  });

  it("creates the same generation with the same key, as by REST", async () => {
    await using client = await connected(connect);
    const one = await client.call("generate_video", LEAST);
    const again = await client.call("generate_video", LEAST);
    const other = await client.call("generate_video", { ...LEAST, idempotency_key: "cat-2" });
    const rest = await harness.send("/v1/videos/generations", {
      method: "POST",
      headers: {
        authorization: `Bearer ${harness.key.secret}`,
        "content-type": "application/json",
        "idempotency-key": LEAST.idempotency_key,
      },
      body: JSON.stringify({ model: LEAST.model, prompt: LEAST.prompt }),
    });
    const idOf = ({ structuredContent }: typeof one) => structuredContent?.["id"];
    expect(idOf(again)).toBe(idOf(one));
    expect(((await rest.json()) as { id: string }).id).toBe(idOf(one));
    expect(idOf(other)).not.toBe(idOf(one));
  });

  it("gets links to the outputs, and no bytes of them", async () => {
    harness.backends.getGeneration = ({ generationId: id }) => ({
      generation: video({ id, status: Status.SUCCESS, progress: 100, output: [OUTPUT] }),
    });
    await using client = await connected(connect);
    const { content, structuredContent } = await client.call("get_generation", { id: VIDEO_ID });
    const uri = "https://media.example.com/assets/a/0.mp4";
    expect(content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
    expect(content[1]).toMatchObject({ uri, mimeType: "video/mp4", name: VIDEO_ID });
    expect(structuredContent).toMatchObject({ status: "success", output: [{ url: uri }] });
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
  });

  it("waits for the end, and hears of the progress meanwhile, each time of more", async () => {
    const states = [10, 10, 10, 40, 100];
    let reads = 0;
    harness.backends.getGeneration = ({ generationId: id }) => {
      const progress = states[Math.min(reads++, states.length - 1)] ?? 0;
      const done = progress === 100 ? { status: Status.SUCCESS, output: [OUTPUT] } : {};
      return { generation: video({ id, status: Status.PROCESSING, progress, ...done }) };
    };
    harness.backends.findEnded = ({ generations }) => ({
      generationIds: generations.map(({ generationId }) => generationId),
    });
    await using client = await connected(connect);
    const heard: number[] = [];
    const result = await client.call(
      "get_generation",
      { id: VIDEO_ID, wait_seconds: 45 },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(result.structuredContent).toMatchObject({ status: "success", progress: 100 });
    expect(heard).toHaveLength(3);
    expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b));
  });

  it("gets each fault of an input with its field and what is allowed", async () => {
    await using client = await connected(connect);
    const result = await client.call("generate_video", {
      model: LEAST.model,
      prompt: "",
      duration: 0,
      wait_seconds: 60,
      colour: "red",
    });
    expect(result.isError).toBe(true);
    expect(textOf(result).split("\n")).toEqual([
      "prompt must have at least 1 character. (prompt, too_short)",
      "duration must be from 1 to 3600. (duration, out_of_range)",
      "wait_seconds must be from 0 to 45. (wait_seconds, out_of_range)",
      "idempotency_key is required. Add it. (idempotency_key, missing_field)",
      expect.stringMatching(
        /^Unknown field: colour. Remove it, or use one of model, prompt,.* \(colour, unknown_field\)$/,
      ),
    ]);
    expect(result.structuredContent).toMatchObject({
      error: { code: "too_short", doc_url: expect.stringContaining("/docs/") },
    });
    expect(callsOf("createVideo")).toEqual([]);
  });
});

describe("list_models", () => {
  it("is named to whoever asks for an unknown model, in place of the request that lists them", async () => {
    harness.backends.createVideo = refusing("MODEL_NOT_FOUND", "GET /v1/models lists them.", {
      field: "model",
    });
    await using client = await connected(modern);
    const result = await client.call("generate_video", LEAST);
    expect(textOf(result)).toBe("list_models lists them. (model, model_not_found)");
  });

  it("lists the models that can be used, of one kind, with their prices and how they are counted", async () => {
    const model = (id: string, kind: Kind, availability: Availability) =>
      create(ModelSchema, {
        id,
        kind,
        availability,
        inputs: ["text"],
        pricing: { unit: "second", unitQuantity: 5, tokens: 169n },
      });
    harness.backends.listModels = () => ({
      models: [
        model("a", Kind.VIDEO, Availability.AVAILABLE),
        model("b", Kind.VIDEO, Availability.DISABLED),
        model("c", Kind.IMAGE, Availability.AVAILABLE),
      ],
    });
    await using client = await connected();
    const { structuredContent } = await client.call("list_models", { kind: "video" });
    expect(structuredContent).toMatchObject({
      mode: "test",
      how_priced: expect.stringContaining("`unit_quantity`"),
      models: [{ id: "a", pricing: { tokens: 169, unit_quantity: 5 } }],
    });
  });
});

describe("the other tools", () => {
  it("make an image and link to it", async () => {
    await using client = await connected(legacy);
    const input = { ...LEAST, model: "gamma-image-3.0-pro" };
    const { content, structuredContent } = await client.call("generate_image", input);
    expect(structuredContent).toMatchObject({ status: "success", object: "image.generation" });
    expect(content[1]).toMatchObject({ type: "resource_link", mimeType: "image/png" });
  });

  it("tell why an image is not made, also to a client that hears of progress", async () => {
    harness.backends.createImage = refusing(
      "UNSUPPORTED_SIZE",
      "size: gamma-image-3.0-pro takes 1024x1024.",
      { field: "size" },
    );
    await using client = await connected();
    const input = { ...LEAST, model: "gamma-image-3.0-pro", size: "1x1" };
    const refused = await client.call("generate_image", input, { onprogress: () => {} });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/\(size, unsupported_size\)$/);
  });

  it("store a picture in base64 or as a data URL, and refuse what is none", async () => {
    await using client = await connected();
    const picture = makeImage("png");
    const base64 = picture.toString("base64");
    const urls = [`data:image/png;base64,${base64}`, `DATA:image/png;base64,${base64}`];
    for (const data of [base64, ...urls]) {
      const { structuredContent } = await client.call("upload_image", { data });
      expect(structuredContent).toMatchObject({
        url: expect.stringMatching(/^https:\/\/media\.example\.com\/assets\//),
      });
    }
    const sent = callsOf("createFile").map(
      ({ request }) => (request as { content: Buffer }).content,
    );
    expect(sent.map((content) => picture.equals(content))).toEqual([true, true, true]);
    // The last would take hours, were it read again from each of its characters.
    for (const data of ["a picture!", "data:,", `a${" ".repeat(3_000_000)}!`]) {
      const refused = await client.call("upload_image", { data });
      expect(textOf(refused)).toMatch(/base64.*\(data, invalid_value\)$/);
    }
  });
});

describe("a client whose key is revoked", () => {
  it("hears nothing more of what it waits for", async () => {
    const { accountId, secret } = await harness.newKey();
    const reading = Promise.withResolvers<void>();
    harness.backends.getGeneration = ({ generationId: id }) => {
      reading.resolve();
      return { generation: video({ id, status: Status.PROCESSING }) };
    };
    harness.backends.findEnded = ({ generations }) => ({
      generationIds: generations.map(({ generationId }) => generationId),
    });
    await using client = await connected(modern, secret);
    const input = { ...LEAST, wait_seconds: 45 };
    const call = client.call("generate_video", input, { onprogress: () => {} });
    await reading.promise;
    await harness.owner`update gateway.api_keys set revoked_at = now() where account_id = ${accountId}`;
    expect(await call).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "revoked_api_key" } },
    });
  });
});

describe("a client that leaves", () => {
  it("ends the wait, and cancels nothing", async () => {
    const reading = Promise.withResolvers<void>();
    let isOver = false;
    harness.backends.getGeneration = ({ generationId: id }) => {
      reading.resolve();
      return { generation: video({ id, status: isOver ? Status.SUCCESS : Status.PROCESSING }) };
    };
    await using client = await connected();
    const left = new AbortController();
    const input = { ...LEAST, wait_seconds: 45 };
    const options = { signal: left.signal, onprogress: () => {} };
    const call = client.call("generate_video", input, options);
    await reading.promise;
    left.abort();
    await expect(call).rejects.toThrow(/abort/i);
    // Another wait, which ends with the first look at which the client's is no longer waited for.
    harness.backends.findEnded = ({ generations }) => {
      isOver = generations.every(({ generationId }) => generationId === VIDEO_ID);
      return { generationIds: isOver ? [VIDEO_ID] : [] };
    };
    const waited = await client.call("get_generation", { id: VIDEO_ID, wait_seconds: 45 });
    expect(waited.structuredContent).toMatchObject({ status: "success" });
    expect(callsOf("cancelGeneration")).toEqual([]);
  });
});
