/** Live mode on two fake upstreams: failover, callbacks, and what operators see. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { holds } from "../support/alert-rules.ts";
import { clientOf } from "../support/customer.ts";
import { dashscopeError, startDashscope } from "../support/fake-upstreams/dashscope.ts";
import { falCallback, startFalFake } from "../support/fake-upstreams/fal.ts";
import { forTests } from "../support/for-tests.ts";
import { startHttp } from "../support/http-server.ts";
import { makeVideo } from "../support/make-media.ts";
import { scrapeReplicas } from "../support/scrape.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { servicesInProcess } from "./services-in-process.ts";

const MODEL = "beta-3.0-video";

/** A scrape is dear, and its figures change every five seconds. */
const SELDOM = { interval: 500 };

type Row = Record<string, unknown>;

const lines: string[] = [];
const first = forTests(startDashscope);
const second = forTests(startFalFake);
const files = forTests(async () => {
  const video = Buffer.from(await makeVideo({ width: 1280, height: 720 }));
  return startHttp((_request, response) => {
    response.writeHead(200, { "content-type": "video/mp4" }).end(video);
  });
});
const service = forTests(async (stack) => {
  const { path: folder } = stack.use(await temporaryFolder());
  const fal = { provider: "fal", model: "fal-ai/some-model", base_url: second.baseUrl };
  const dashscope = {
    provider: "dashscope",
    model: "wan3.0-video",
    base_url: first.baseUrl,
    parameters: { dialect: "C" },
  };
  const upstreams = {
    credentials: { one: {}, two: {}, wrong: {} },
    models: {
      [MODEL]: [
        { ...dashscope, name: "upstream-one", credential: "one", priority: 1 },
        { ...fal, name: "upstream-two", credential: "two", priority: 2 },
      ],
      "alpha-2.0": [{ ...fal, name: "upstream-wrong", credential: "wrong" }],
    },
  };
  const upstreamsFile = join(folder, "upstreams.json");
  await writeFile(upstreamsFile, JSON.stringify(upstreams));
  return servicesInProcess(stack, (line) => void lines.push(line), {
    LIVE_PROVIDER: "none",
    UPSTREAMS_FILE: upstreamsFile,
    PROVIDER_KEY_ONE: first.key,
    PROVIDER_KEY_TWO: second.key,
    PROVIDER_KEY_WRONG: "not-the-key",
  });
});
const live = forTests(async () => clientOf(service.url, await service.customer.key("live")));

const create = async () =>
  (await live.videos.create({ model: MODEL, prompt: "a cat", duration: 5 })).id;

/** The second upstream's newest job, once it has `count` jobs. */
async function jobAt(count: number) {
  await expect.poll(() => second.jobs.length).toBe(count);
  const job = second.jobs.at(-1);
  if (!job) throw new Error("no job");
  return job;
}

/** Whether the alert's condition holds now. */
const isOn = async (alert: string) =>
  holds(alert, await scrapeReplicas({ generation: service.rpcUrls.generation }));

const finish = (id: string) =>
  second.says(id, {
    status: "COMPLETED",
    result: { status: 200, json: { video: { url: `${files.url}/made.mp4` } } },
  });

describe("live mode on two upstreams", () => {
  it("tells operators which upstreams work, and clients which models have none", async () => {
    const checked = service.ops<Row[]>("upstream", "check");
    await expect(checked).rejects.toThrow(/"upstream-wrong".*"fault":"auth"/);
    const report = await checked.catch((error: Error) => error.message);
    expect(report).toMatch(/"upstream-one".*?"works":true/);
    expect(report).not.toContain("not-the-key");
    const models = await live.models.list();
    const reasons = models.map(({ id, unavailable_reason }) => [id, unavailable_reason]);
    expect(Object.fromEntries(reasons)).toMatchObject({ "beta-2.7-text-to-video": "no_route" });
    expect(models.find(({ id }) => id === MODEL)?.availability).toBe("available");
  });

  it("switches to the second if the first closes our account, and stays there", async () => {
    expect(await isOn("UpstreamClosed")).toBe(false);
    first.once("submit", { instead: dashscopeError(400, "Arrearage") });
    const id = await create();
    finish((await jobAt(1)).id);
    const finished = await live.videos.wait(id, { pollMs: 100 });
    expect(finished).toMatchObject({ status: "success", output: [{ width: 1280, height: 720 }] });
    expect(JSON.stringify(finished)).not.toMatch(/upstream-|fal|dashscope/);
    expect(await service.ops<Row>("generation", "show", id)).toMatchObject({
      upstream: "upstream-two",
      status: "success",
    });
    const submits = () => first.requests.filter(({ operation }) => operation === "submit").length;
    expect(submits()).toBe(1);
    const next = await create();
    finish((await jobAt(2)).id);
    expect((await live.videos.wait(next, { pollMs: 100 })).status).toBe("success");
    expect(submits()).toBe(1);
    const log = () => lines.join("");
    await expect.poll(log).toMatch(/"alert":true.*"paused":"credential one".*"fault":"billing"/);
    // The figure is read from Postgres now and then.
    await expect.poll(() => isOn("UpstreamClosed"), SELDOM).toBe(true);
    expect(log()).not.toMatch(new RegExp(`${first.key}|${second.key}`));
  });

  it("accepts the callback of a job whose submit got no response", async () => {
    second.once("submit", { afterwards: "drop" });
    const id = await create();
    const job = await jobAt(3);
    finish(job.id);
    const address = job.request.query.get("fal_webhook") ?? "";
    expect(address.startsWith(`${service.url}/callbacks/`)).toBe(true);
    const body = Buffer.from(falCallback(job.id).body);
    const sendCallback = (to = address) => fetch(to, { method: "POST", body });
    expect((await sendCallback(`${address.slice(0, -2)}zz`)).status).toBe(404);
    expect((await live.videos.retrieve(id)).status).toBe("pending");
    for (let i = 0; i < 2; i++) expect((await sendCallback()).status).toBe(204);
    expect((await live.videos.wait(id, { pollMs: 100 })).status).toBe("success");
    expect((await sendCallback()).status).toBe(204);
    expect(second.jobs).toHaveLength(3);
  });
});
