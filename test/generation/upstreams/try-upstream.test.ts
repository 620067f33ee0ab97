/** TryUpstream and CheckUpstreams, for operators, before two fakes and without a simulator. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_PROVIDERS } from "../../../services/generation/upstreams/known-providers.ts";
import { openUpstreams } from "../../../services/generation/upstreams/open-upstreams.ts";
import { simulatorProvider } from "../../../services/generation/providers/vendors/simulator.ts";
import { createUpstreams } from "../../../services/generation/upstreams/upstreams.ts";
import type { UpstreamsFile } from "../../../services/generation/upstreams/upstreams-file.ts";
import { arkError, startArk } from "../../support/fake-upstreams/ark.ts";
import type { FakeUpstream } from "../../support/fake-upstreams/fake.ts";
import { startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { forTests } from "../../support/for-tests.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { useHarness } from "../fixture.ts";

const MODEL = "dreamina-seedance-2-0-260128";
const h = useHarness();
const ark = forTests(() => startArk(h.clock));
const openai = forTests(startOpenaiFake);
const folder = folderForTests();

beforeEach(() => {
  const entry = (name: string, provider: string, model: string, { baseUrl }: FakeUpstream) => {
    return { name, provider, model, credential: provider, base_url: baseUrl };
  };
  const frame = { ...entry("frame", "ark", MODEL, ark), capabilities: { durations: [10, 5] } };
  const keyless = { ...entry("keyless", "ark", MODEL, ark), credential: "unpaid" };
  const file: UpstreamsFile = {
    credentials: { ark: {}, openai: {}, unpaid: {} },
    models: {
      "alpha-2.0": [entry("video", "ark", MODEL, ark), keyless],
      "beta-2.7-image-to-video": [frame],
      "gamma-image-3.0-pro": [entry("image", "openai", "gpt-image-2", openai)],
    },
  };
  const path = join(folder, "upstreams.json");
  writeFileSync(path, JSON.stringify(file));
  const configured = openUpstreams(
    { path, keys: { ark: ark.key, openai: openai.key }, keysDirectory: undefined },
    {
      ...h.deps,
      knownProviders: KNOWN_PROVIDERS,
      callbackUrl: undefined,
      isModel: (id) => h.deps.catalog.find(id) !== undefined,
      observe: (provider) => provider,
    },
  );
  h.deps.configuredUpstreams = configured;
  h.deps.upstreams = createUpstreams(simulatorProvider("http://127.0.0.1:9"), "none", configured);
  for (const { requests, jobs } of [ark, openai]) requests.length = jobs.length = 0;
});

const send = (upstream: string, fields: object = {}) =>
  h.client.tryUpstream({ upstream, send: true, ...fields });

it("says what a try asks for and what clients pay for it, and sends nothing", async () => {
  const plan = await h.client.tryUpstream({ upstream: "video" });
  const asksFor = "a video of 5 s, 1280x720";
  expect(plan).toMatchObject({ asksFor, tokens: 210n, outcome: "planned", exchangeJson: "" });
  const image = await h.client.tryUpstream({ upstream: "image" });
  expect(image).toMatchObject({ asksFor: "an image of 1024x1024", tokens: 42n });
  expect([ark.requests, openai.requests]).toEqual([[], []]);
});

it("makes a video to its end, and shows what was sent and answered, but no key", async () => {
  const sent = await send("video");
  expect(sent).toMatchObject({ outcome: "running", job: ark.jobs[0]?.id });
  const ended = await h.client.tryUpstream({ upstream: "video", job: sent.job });
  expect(ended).toMatchObject({ outcome: "succeeded" });
  expect(ended.resultUrls[0]).toContain("/results/");
  const exchanges = [sent, ended].flatMap(
    ({ exchangeJson }) => JSON.parse(exchangeJson) as object[],
  );
  expect(exchanges).toMatchObject([
    { method: "POST", status: 200, sent: { model: MODEL, duration: 5 } },
    { method: "GET", status: 200 },
  ]);
  expect(JSON.stringify(exchanges)).not.toContain(ark.key);
  expect(ark.jobs).toHaveLength(1);
});

it("makes an image, and repeats no key that the answer has", async () => {
  const json = { created: 1, data: [{ b64_json: "aGk=" }], echo: `Bearer ${openai.key}-and-more` };
  openai.once("image", { instead: { status: 200, json } });
  const made = await send("image");
  expect(made).toMatchObject({ outcome: "succeeded", resultUrls: [] });
  expect(made.exchangeJson).not.toContain(`Bearer ${openai.key}`);
});

it.each([
  [arkError(401, "AuthenticationError"), "The key of the credential ark is refused"],
  [arkError(403, "AccountOverdueError"), "The account of the credential ark has no credit"],
  [arkError(404, "InvalidEndpointOrModel.NotFound"), "correct the upstreams file"],
  [arkError(429, "RequestBurstTooFast"), "rate limit is reached"],
  [arkError(400, "InvalidParameter", "no", "duration"), "parameters of the upstreams file"],
  [arkError(500, "InternalServiceError"), "may charge for it"],
])("says what operators can do about an answer %#", async (instead, words) => {
  ark.once("submit", { instead });
  const { exchangeJson, ...tried } = await send("video");
  expect(tried).toMatchObject({ outcome: "failed", meaning: expect.stringContaining(words) });
  expect(JSON.parse(exchangeJson)).toMatchObject([{ status: instead.status }]);
});

it("refuses what cannot be tried: without a key, unheard of, without its picture", async () => {
  await expect(send("keyless")).rejects.toThrow("no key");
  await expect(send("nobody")).rejects.toThrow("the upstreams file has none");
  await expect(send("frame")).rejects.toThrow("needs a picture");
  const framed = await send("frame", { imageUrl: "https://pictures.test/a.png" });
  expect(framed.outcome).toBe("running");
});

it("checks each upstream and the simulator, and one that is away is no fault of the check", async () => {
  const { upstreams } = await h.client.checkUpstreams({});
  expect(upstreams.map((one) => [one.upstream, one.state, one.fault])).toEqual([
    ["video", "open", ""],
    ["frame", "open", ""],
    ["image", "open", ""],
    ["keyless", "without_key", "auth"],
    ["simulator", "open", "unavailable"],
  ]);
});
