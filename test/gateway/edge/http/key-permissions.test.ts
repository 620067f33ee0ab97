/** What restricted API keys may do, in both dialects and by MCP. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { sendRequest } from "../../../contract/openapi/client.ts";
import { operations, type Operation } from "../../../contract/openapi/document.ts";
import { video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, IMAGE, IMAGES, VIDEO, VIDEOS } from "../../requests.ts";
import { modern } from "../mcp/clients.ts";

const harness = useHarness();

type Permissions = { access?: "full" | "read"; kinds?: string[]; models?: string[] };

async function keyThat(permissions: Permissions): Promise<string> {
  const { accountId } = harness.key;
  const request = { accountId, mode: Mode.TEST, permissions: { access: "full", ...permissions } };
  return (await harness.accounts.createKey(request)).secret;
}

const ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";

const READS = { access: "read" } as const;
const FOR_IMAGES = { kinds: ["image"] };
const BY_MODEL = { models: ["alpha-2.0", IMAGE.model] };
const BOTH = { ...FOR_IMAGES, models: [VIDEO.model, IMAGE.model] };
const ONLY_READS = "This key may only read.";
const ONLY_MODELS = `create only with alpha-2.0 or ${IMAGE.model}.`;
const ONLY_BOTH = "may create only images, with beta-3.0-video or gamma-image-3.0-pro.";

it.each<[Permissions, line: string, refused?: string]>([
  [READS, "GET /v1/balance"],
  [READS, "HEAD /v1/models"],
  [READS, "GET /openai/v1/models"],
  [READS, `POST ${VIDEOS}`, ONLY_READS],
  [READS, `POST ${VIDEOS}/${ID}/cancel`, ONLY_READS],
  [READS, `DELETE ${VIDEOS}/${ID}`, ONLY_READS],
  [READS, `DELETE /openai/v1/videos/${ID}`, ONLY_READS],
  // It makes nothing.
  [FOR_IMAGES, `POST ${VIDEOS}/${ID}/cancel`],
  [BY_MODEL, `POST ${IMAGES}`],
  [BY_MODEL, `POST ${VIDEOS}`, ONLY_MODELS],
  [BOTH, `POST ${IMAGES}`],
  [BOTH, `POST ${VIDEOS}`, ONLY_BOTH],
])("a key with %j repeats %s: %s", async (permissions, line, said) => {
  harness.backends.createVideo = () => ({ generation: video(), replayed: true });
  const [method = "", path = ""] = line.split(" ");
  const headers = headersOf(await keyThat(permissions), { "idempotency-key": "order-1" });
  const body = JSON.stringify(path === IMAGES ? IMAGE : VIDEO);
  const sent = await harness.send(path, { method, headers, ...(method === "POST" && { body }) });
  const answer = sent.ok ? { status: 200 } : await errorOf(sent);
  const of = { type: "permission_error", code: "key_not_permitted" };
  const details = expect.objectContaining(permissions);
  const refused = { status: 403, ...of, details, message: expect.stringContaining(said ?? "") };
  expect(answer).toMatchObject(said === undefined ? { status: 200 } : refused);
  const changes = harness.calls.filter(({ method: one }) => /^(create|cancel|delete)/.test(one));
  expect(changes).toHaveLength(said === undefined && method === "POST" ? 1 : 0);
});

it("a key that only reads uses the reading tools of MCP, and no other", async () => {
  await using client = await modern(harness.url, await keyThat(READS));
  expect((await client.call("get_balance")).isError).toBeFalsy();
  const refused = await client.call("generate_video", { ...VIDEO, idempotency_key: "cat-1" });
  const error = { code: "key_not_permitted" };
  expect(refused).toMatchObject({ isError: true, structuredContent: { error } });
});

const creates = operations.filter(
  ({ body, form }) => "model" in ((body ?? form)?.schema.properties ?? {}),
);

/** Its path is that of its kind in either dialect. */
const kindOf = ({ path }: Operation) => (path.startsWith("/videos") ? "video" : "image");

it("finds all five creates of both dialects", () => expect(creates).toHaveLength(5));

it.each(creates)("a key for one kind creates by $id none of the other", async (operation) => {
  const kind = kindOf(operation);
  const codeFor = async (allowed: string) => {
    const secret = await keyThat({ kinds: [allowed] });
    return (await sendRequest(harness.url, operation, { secret })).code;
  };
  expect(await codeFor(kind === "video" ? "image" : "video")).toBe("key_not_permitted");
  expect(await codeFor(kind)).not.toBe("key_not_permitted");
});
