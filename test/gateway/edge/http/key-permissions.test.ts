/** What restricted API keys may do, in both dialects and by MCP. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { sendRequest } from "../../../contract/openapi/client.ts";
import { operations, type Operation } from "../../../contract/openapi/document.ts";
import { image, video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";
import { modern } from "../mcp/clients.ts";

const harness = useHarness();

type Permissions = { access?: "full" | "read"; kinds?: string[]; models?: string[] };

async function keyThat({ access = "full", ...rest }: Permissions): Promise<string> {
  const { account } = await harness.accounts.createAccount({ name: "Example" });
  const { secret } = await harness.accounts.createKey({
    accountId: account?.id ?? "",
    mode: Mode.TEST,
    permissions: { access, ...rest },
  });
  return secret;
}

const VIDEO = { model: "beta-3.0-video", prompt: "a cat" };
const IMAGE = { model: "gamma-image-3.0-pro", prompt: "a cat" };
const createVideo = (secret: string, body: object = VIDEO) =>
  harness.send("/v1/videos/generations", post(secret, body));
const createImage = (secret: string, body: object = IMAGE) =>
  harness.send("/v1/images/generations", post(secret, body, { prefer: "respond-async" }));

/** The code, or the status of a success. */
const outcome = async (sent: Promise<Response>) => {
  const response = await sent;
  return response.ok ? response.status : (await errorOf(response)).code;
};

const creates = operations.filter(
  ({ body, form }) => "model" in ((body ?? form)?.schema.properties ?? {}),
);

/** Its path is that of its kind in either dialect. */
const kindOf = ({ path }: Operation) => (path.startsWith("/videos") ? "video" : "image");

it("finds all five creates of both dialects", () => expect(creates).toHaveLength(5));

describe("a key that only reads", () => {
  it("reads, and is refused whatever is not a GET, with what it may do", async () => {
    const secret = await keyThat({ access: "read" });
    const headers = headersOf(secret);
    for (const path of ["/v1/balance", "/v1/models", "/openai/v1/models"]) {
      expect((await harness.send(path, { headers })).status).toBe(200);
      expect((await harness.send(path, { method: "HEAD", headers })).status).toBe(200);
    }
    const refused = await createVideo(secret);
    expect(refused.status).toBe(403);
    expect(await errorOf(refused)).toMatchObject({
      type: "permission_error",
      code: "key_not_permitted",
      message: expect.stringContaining("This key may only read."),
      details: { access: "read" },
    });
    const id = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
    const path = `/v1/videos/generations/${id}`;
    for (const [method, url] of [
      ["POST", `${path}/cancel`],
      ["DELETE", path],
      ["DELETE", `/openai/v1/videos/${id}`],
    ] as const) {
      expect(
        await outcome(
          harness.send(url, { method, headers: { authorization: headers.authorization } }),
        ),
      ).toBe("key_not_permitted");
    }
    expect(harness.calls.filter(({ method }) => /^(create|cancel|delete)/i.test(method))).toEqual(
      [],
    );
  });

  it("uses the reading tools of MCP, and no other", async () => {
    await using client = await modern(harness.url, await keyThat({ access: "read" }));
    expect((await client.call("get_balance")).isError).toBeFalsy();
    const refused = await client.call("generate_video", { ...VIDEO, idempotency_key: "cat-1" });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "key_not_permitted" } },
    });
  });
});

describe("a key that creates one kind only", () => {
  it.each(creates.map((operation) => [operation.id, operation] as const))(
    "is refused %s of the other kind, and by no restriction that of its own",
    async (_id, operation) => {
      const kind = kindOf(operation);
      const other = kind === "video" ? "image" : "video";
      const send = async (secret: string) =>
        (await sendRequest(harness.url, operation, { secret })).body["error"];
      const refusal = expect.objectContaining({ code: "key_not_permitted" });
      expect(await send(await keyThat({ kinds: [other] }))).toEqual(refusal);
      expect(await send(await keyThat({ kinds: [kind] }))).not.toEqual(refusal);
    },
  );

  it("does what makes nothing, with generations of the other kind too", async () => {
    const secret = await keyThat({ kinds: ["image"] });
    harness.backends.cancelGeneration = () => ({ generation: video() });
    const path = "/v1/videos/generations/vgen_2zjrwfavgwd8tj2ht7shw0cw42/cancel";
    const headers = { authorization: `Bearer ${secret}` };
    expect((await harness.send(path, { method: "POST", headers })).status).toBe(200);
  });
});

describe("a key that creates with some models only", () => {
  it("is refused others by their names, and creates with its own", async () => {
    harness.backends.createVideo = () => ({ generation: video(), replayed: false });
    harness.backends.createImage = () => ({ generation: image(), replayed: false });
    const secret = await keyThat({ models: [VIDEO.model, "alpha-2.0"] });
    expect((await createVideo(secret)).status).toBe(202);
    const refused = await createImage(secret);
    expect(await errorOf(refused)).toMatchObject({
      code: "key_not_permitted",
      message: expect.stringContaining("create only with beta-3.0-video or alpha-2.0."),
      details: { access: "full", models: [VIDEO.model, "alpha-2.0"] },
    });
  });

  it("is refused a replay too, whatever was made before", async () => {
    harness.backends.createVideo = () => ({ generation: video(), replayed: true });
    const secret = await keyThat({ models: ["alpha-2.0"] });
    const init = post(secret, VIDEO, { "idempotency-key": "order-1" });
    expect(await outcome(harness.send("/v1/videos/generations", init))).toBe("key_not_permitted");
  });

  it("must also be of one of its kinds", async () => {
    const secret = await keyThat({ kinds: ["image"], models: [VIDEO.model, IMAGE.model] });
    const refused = await errorOf(await createVideo(secret));
    expect(refused.message).toContain(
      "This key may create only images, with beta-3.0-video or gamma-image-3.0-pro.",
    );
    harness.backends.createImage = () => ({ generation: image(), replayed: false });
    expect((await createImage(secret)).status).toBe(202);
  });
});
