/** What restricted API keys may do, in both dialects and by MCP. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { sendRequest } from "../../../contract/openapi/client.ts";
import { operations, type Operation } from "../../../contract/openapi/document.ts";
import { video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";
import { modern } from "../mcp/clients.ts";

const harness = useHarness();

type Permissions = { access?: "full" | "read"; kinds?: string[]; models?: string[] };

async function keyThat(permissions: Permissions): Promise<string> {
  const { accountId } = harness.key;
  const request = { accountId, mode: Mode.TEST, permissions: { access: "full", ...permissions } };
  return (await harness.accounts.createKey(request)).secret;
}

const VIDEO = { model: "beta-3.0-video", prompt: "a cat" };
const IMAGE = { model: "gamma-image-3.0-pro", prompt: "a cat" };
const PATH = "/v1/videos/generations";
const createVideo = (secret: string, more = {}) => harness.send(PATH, post(secret, VIDEO, more));
const createImage = (secret: string) => harness.send("/v1/images/generations", post(secret, IMAGE));
const refusedWith = (message: string, details = {}) => ({
  status: 403,
  type: "permission_error",
  code: "key_not_permitted",
  message: expect.stringContaining(message),
  details: expect.objectContaining(details),
});

const creates = operations.filter(
  ({ body, form }) => "model" in ((body ?? form)?.schema.properties ?? {}),
);

/** Its path is that of its kind in either dialect. */
const kindOf = ({ path }: Operation) => (path.startsWith("/videos") ? "video" : "image");

it("finds all five creates of both dialects", () => expect(creates).toHaveLength(5));

describe("a key that only reads", () => {
  it("reads, and is refused whatever is not a GET, with what it may do", async () => {
    const secret = await keyThat({ access: "read" });
    const headers = { authorization: `Bearer ${secret}` };
    for (const path of ["/v1/balance", "/v1/models", "/openai/v1/models"])
      for (const method of ["GET", "HEAD"])
        expect((await harness.send(path, { method, headers })).status).toBe(200);
    const id = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
    const bare = (method: string, path: string) => harness.send(path, { method, headers });
    for (const sent of [
      createVideo(secret),
      bare("POST", `${PATH}/${id}/cancel`),
      bare("DELETE", `${PATH}/${id}`),
      bare("DELETE", `/openai/v1/videos/${id}`),
    ]) {
      const refused = refusedWith("This key may only read.", { access: "read" });
      expect(await errorOf(sent)).toMatchObject(refused);
    }
    const changes = harness.calls.filter(({ method }) => /^(create|cancel|delete)/.test(method));
    expect(changes).toEqual([]);
  });

  it("uses the reading tools of MCP, and no other", async () => {
    await using client = await modern(harness.url, await keyThat({ access: "read" }));
    expect((await client.call("get_balance")).isError).toBeFalsy();
    const refused = await client.call("generate_video", { ...VIDEO, idempotency_key: "cat-1" });
    const error = { code: "key_not_permitted" };
    expect(refused).toMatchObject({ isError: true, structuredContent: { error } });
  });
});

describe("a key that creates one kind only", () => {
  it.each(creates)("is refused $id of the other kind, not of its own", async (operation) => {
    const kind = kindOf(operation);
    const codeFor = async (allowed: string) => {
      const secret = await keyThat({ kinds: [allowed] });
      return (await sendRequest(harness.url, operation, { secret })).code;
    };
    expect(await codeFor(kind === "video" ? "image" : "video")).toBe("key_not_permitted");
    expect(await codeFor(kind)).not.toBe("key_not_permitted");
  });

  it("does what makes nothing, with generations of the other kind too", async () => {
    const headers = headersOf(await keyThat({ kinds: ["image"] }));
    const path = `${PATH}/vgen_2zjrwfavgwd8tj2ht7shw0cw42/cancel`;
    expect((await harness.send(path, { method: "POST", headers })).status).toBe(200);
  });
});

describe("a key that creates with some models only", () => {
  it("is refused others by their names, a replay too, and creates with its own", async () => {
    const models = ["alpha-2.0", IMAGE.model];
    const secret = await keyThat({ models });
    expect((await createImage(secret)).status).toBe(200);
    harness.backends.createVideo = () => ({ generation: video(), replayed: true });
    const refused = refusedWith(`create only with alpha-2.0 or ${IMAGE.model}.`, { models });
    for (const key of [{}, { "idempotency-key": "order-1" }])
      expect(await errorOf(createVideo(secret, key))).toMatchObject(refused);
  });

  it("must also be of one of its kinds", async () => {
    const secret = await keyThat({ kinds: ["image"], models: [VIDEO.model, IMAGE.model] });
    const may = "may create only images, with beta-3.0-video or gamma-image-3.0-pro.";
    expect(await errorOf(createVideo(secret))).toMatchObject(refusedWith(may));
    expect((await createImage(secret)).status).toBe(200);
  });
});
