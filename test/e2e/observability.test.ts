/** What an operator sees of the main job: its trace, its log lines, its metrics and the status. */
import { scrapeAll } from "../../services/ops/status/scrape.ts";
import { statusScreen } from "../../services/ops/commands/status.ts";
import { statusOf } from "../../services/ops/status/status.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { openStatusPage } from "../../services/standalone/status-page.ts";
import { forTests } from "../support/for-tests.ts";
import { commonRegistry, ownRegistries } from "../support/metrics-registries.ts";
import { startOtlpReceiver, type ReceivedSpan } from "../support/otlp-receiver.ts";
import { startReceiver } from "../support/receiver.ts";
import { servicesInProcess } from "./services-in-process.ts";

const PROMPT = "a prompt that nobody else may read";
const WEBHOOK_SECRET = "in-the-query-of-a-webhook";

const lines: Record<string, unknown>[] = [];
const write = (line: string) => void lines.push(JSON.parse(line));
const collector = forTests(startOtlpReceiver);
const receiver = forTests(() => startReceiver());
const services = forTests((stack) =>
  servicesInProcess(stack, write, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: "1",
  }),
);
let key: string;
beforeAll(async () => void (key = await services.customer.key("live")));

/** Each service sends its spans on its own: the one above may come later. */
function isWhole(spans: readonly ReceivedSpan[]): boolean {
  const ids = new Set(["", ...spans.map(({ spanId }) => spanId)]);
  return spans.every(({ parentId }) => ids.has(parentId));
}

it.each<[kind: string, body: object, spans: string[], lines: string[]]>([
  [
    "video",
    { model: "beta-3.0-video", duration: 2 },
    ["rpc CreateVideo", "upstream submit", "upstream poll", "webhook attempt"],
    ["delivery: webhook attempt"],
  ],
  ["image", { model: "gamma-image-3.0-pro" }, ["rpc CreateImage", "upstream image"], []],
])(
  "a generation is one trace, from the request to its end: of %s",
  async (kind, body, own, says) => {
    const webhook = { webhook_url: `${receiver.url}?token=${WEBHOOK_SECRET}` };
    const requestId = `req_of_the_${kind}`;
    const response = await fetch(`${services.url}/v1/${kind}s/generations`, {
      method: "POST",
      body: JSON.stringify({ prompt: PROMPT, ...body, ...(kind === "video" ? webhook : {}) }),
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "request-id": requestId,
      },
    });
    const { id } = (await response.json()) as { id: string };
    const trace = () => {
      const first = collector.spans.find(
        ({ parentId, attributes }) => parentId === "" && attributes["media.generation_id"] === id,
      );
      return collector.spans.filter(({ traceId }) => traceId === first?.traceId);
    };
    const spans = ["rpc Reserve", "sql insert generations", "copy output", "rpc Capture", ...own];
    await expect.poll(() => trace().map(({ name }) => name)).toEqual(expect.arrayContaining(spans));
    await expect.poll(() => isWhole(trace())).toBe(true);
    expect(trace().filter(({ parentId }) => parentId === "")).toHaveLength(1);
    const sent = JSON.stringify(trace());
    for (const secret of [PROMPT, WEBHOOK_SECRET, key]) expect(sent).not.toContain(secret);
    // The last lines may come after the last span.
    const ofRequest = () => lines.filter((line) => line["request_id"] === requestId);
    const messages = ["gateway: request", "generation: generation ended", ...says];
    await expect
      .poll(() => ofRequest().map((line) => `${String(line["service"])}: ${String(line["msg"])}`))
      .toEqual(expect.arrayContaining(messages));
    const traceIds = new Set(ofRequest().map((line) => line["trace_id"]));
    expect(traceIds).toEqual(new Set([trace()[0]?.traceId]));
  },
);

it("no line has a prompt, a key or the query of a URL", () => {
  const said = JSON.stringify(lines);
  for (const secret of [PROMPT, WEBHOOK_SECRET, key]) expect(said).not.toContain(secret);
});

it("every service emits every metric that docs/metrics.md says it has", async () => {
  for (const [service, own] of ownRegistries()) {
    const [url] = services.rpcUrls[service as ServiceName];
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const registry of [commonRegistry(), own]) {
      for (const { name } of registry.getMetricsAsArray())
        expect(text).toContain(`# HELP ${name} `);
    }
  }
});

it("counts of the main job what alerts read", async () => {
  const names = [
    "media_http_request_duration_seconds_count",
    "media_tasks_taken_total",
    "media_upstream_call_duration_seconds_count",
    "media_service_key_created_timestamp_seconds",
  ];
  const counted = async () => {
    const replicas = await scrapeAll(services.rpcUrls, undefined);
    const samples = replicas.flatMap((replica) => replica.samples ?? []);
    return samples.flatMap(({ name, value }) => (value > 0 ? [name] : []));
  };
  await expect.poll(counted).toEqual(expect.arrayContaining(names));
});

it("the status shows the services, and at /status on loopback to nobody else", async () => {
  const read = async () => statusOf(await scrapeAll(services.rpcUrls, undefined), new Date());
  let status = await read();
  // What came after the end of a generation may not be done yet.
  await expect
    .poll(async () => (status = await read()).queue)
    .toMatchObject({ queued: 0, due: 0, unknown_submits: 0 });
  expect(status.services.map(({ answering, on_stream }) => [answering, on_stream])).toEqual(
    Array.from({ length: 4 }, () => [1, 1]),
  );
  expect(status.concerns).toEqual([]);
  expect(statusScreen(status)).toContain("Nothing needs an operator.");
  await using page = await openStatusPage(services.rpcUrls, 0);
  expect(await (await fetch(page.url)).text()).toContain("generation");
  const { port } = new URL(page.url);
  expect(new URL(page.url).hostname).toBe("127.0.0.1");
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
});
