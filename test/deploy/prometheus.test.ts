/**
 * Prometheus with the rules of deploy/observability beside the fleet of compose.yaml: each fault is caused in a process,
 * its alert fires, and ends once the fault is over. It takes minutes, so it runs with TEST_SIZE=long only.
 */
import { rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locatePrometheus } from "../../scripts/debian-package.mjs";
import type { Client } from "../../clients/typescript/index.ts";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { ALERT_RULES } from "../support/alert-rules.ts";
import { startFleet, type Fleet } from "../support/compose/compose.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { startHttp } from "../support/http-server.ts";
import { startPrometheus, type Prometheus } from "../support/prometheus.ts";
import { isLong } from "../support/test-size.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const found = locatePrometheus();
const SOON = { timeout: 150_000, interval: 250 };
const MODEL = "beta-3.0-video";

describe.runIf(isLong && found)("Prometheus beside the fleet", { timeout: 400_000 }, () => {
  const stack = new AsyncDisposableStack();
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let fleet: Fleet;
  let prometheus: Prometheus;
  let accountId: string;
  let live: Client;
  let test: Client;

  beforeAll(async () => {
    const folder = stack.use(await temporaryFolder());
    upstream = await startUpstream();
    stack.defer(() => upstream.stop());
    const upstreamsFile = join(folder.path, "upstreams.json");
    await writeFile(upstreamsFile, JSON.stringify(upstreamsAt(upstream.url)));
    fleet = stack.use(
      await startFleet({
        variables: { LIVE_PROVIDER: "none" },
        environment: { generation: { UPSTREAMS_FILE: upstreamsFile, PROVIDER_KEY_ONE: "key" } },
      }),
    );
    const customer = await newCustomer(fleet);
    accountId = customer.accountId;
    live = clientOf(fleet.url, await customer.key("live"), { maxAttempts: 1 });
    test = clientOf(fleet.url, await customer.key("test"), { maxAttempts: 1 });
    const addressesOf = (name: string, port: number) =>
      fleet.of(name).map((replica) => new URL(replica.url(port)).host);
    const directory = join(folder.path, "prometheus");
    prometheus = stack.use(await startPrometheus(found?.server ?? "", directory, addressesOf));
  }, 200_000);
  afterAll(() => stack.disposeAsync());

  const video = { model: MODEL, prompt: "a cat", duration: 2 };
  /** Which of these alerts fire now. */
  const firing = (...alerts: string[]) =>
    prometheus.firing().then((all) => alerts.filter((alert) => all.includes(alert)));
  /** What `ops status` says needs an operator; it asks the first replica of each service. */
  const concerns = () =>
    fleet.ops<{ concerns: string[] }>("status").then(
      (status) => status.concerns.join(),
      (error: Error) => error.message,
    );
  /** Repeats `work`, whether it fails or not, until disposed of. */
  const repeating = (work: () => Promise<unknown>): AsyncDisposable => {
    let isStopped = false;
    const running = (async () => {
      while (!isStopped) await work().catch(() => undefined);
    })();
    return {
      async [Symbol.asyncDispose]() {
        isStopped = true;
        await running;
      },
    };
  };

  it("scrapes every replica, evaluates every rule, and says nothing of a fleet that works", async () => {
    const scraped = async () =>
      (await prometheus.targets()).map(({ labels, health }) => [labels.job, health]);
    const wanted = SERVICES.flatMap((name) => fleet.of(name).map(() => [name, "up"]));
    await expect.poll(scraped, SOON).toEqual(expect.arrayContaining(wanted));
    expect(await scraped()).toHaveLength(wanted.length);
    const evaluated = async () =>
      (await prometheus.rules()).map(({ name, health }) => [name, health]);
    await expect
      .poll(evaluated, SOON)
      .toEqual(ALERT_RULES.map(({ condition }) => [condition, "ok"]));
    await expect.poll(() => prometheus.firing(), SOON).toEqual([]);
  });

  it("says that billing is stopped, until it is started", async () => {
    await using _reading = repeating(() => live.balance.retrieve());
    const replicas = fleet.of("billing");
    await Promise.all(replicas.map((replica) => replica.kill()));
    const alerts = ["ReplicaDown", "CallsUnavailable", "ServerErrors"];
    await expect.poll(() => firing(...alerts), SOON).toEqual(alerts);
    await expect.poll(concerns, SOON).toMatch(/billing at \S+ answers no scrape/);
    await Promise.all(replicas.map((replica) => replica.start()));
    await expect.poll(() => firing(...alerts), SOON).toEqual([]);
  });

  it("says that a worker is frozen, until it goes on", async () => {
    const [worker] = fleet.of("generation");
    worker?.pause();
    await expect.poll(() => firing("ReplicaDown"), SOON).toEqual(["ReplicaDown"]);
    await expect.poll(concerns, SOON).toMatch(/generation at \S+ answers no scrape/);
    worker?.continue();
    await expect.poll(() => firing("ReplicaDown"), SOON).toEqual([]);
  });

  it("says that an upstream does not answer, then that it refuses our account, until it takes jobs again", async () => {
    const create = () => live.videos.create(video);
    await upstream.stop();
    for (let task = 0; task < 12; task += 1) await create();
    await expect.poll(() => firing("CircuitOpen"), SOON).toEqual(["CircuitOpen"]);
    await expect
      .poll(concerns, SOON)
      .toContain("The upstream upstream-one does not answer submits");
    await expect(fleet.ops("upstream", "check")).rejects.toThrow(/"upstream-one".*"works":false/);
    const waiting = await fleet.ops<{ model: string }[]>(
      "generation",
      "list",
      "--status",
      "pending",
    );
    expect(waiting.map(({ model }) => model)).toContain(MODEL);
    await upstream.start();
    await expect.poll(() => firing("CircuitOpen"), SOON).toEqual([]);
    upstream.refuses(true);
    await create();
    await expect.poll(() => firing("UpstreamSuspended"), SOON).toEqual(["UpstreamSuspended"]);
    await expect.poll(concerns, SOON).toContain("suspended until operators act");
    upstream.refuses(false);
    await expect.poll(() => firing("UpstreamSuspended"), SOON).toEqual([]);
  });

  it("says that webhooks are late because of a receiver that hangs, until it answers", async () => {
    const held: (() => void)[] = [];
    let isTarpit = true;
    await using receiver = await startHttp((request, response) => {
      request.resume();
      const answer = () => void response.writeHead(200).end();
      if (isTarpit) held.push(answer);
      else answer();
    });
    const webhook_url = `${receiver.url}/hook`;
    for (let task = 0; task < 30; task += 1) await test.videos.create({ ...video, webhook_url });
    await expect.poll(() => held.length, SOON).toBeGreaterThan(4);
    await fiveMinutesLater(fleet);
    await expect.poll(() => firing("WebhookAge"), SOON).toEqual(["WebhookAge"]);
    await expect.poll(concerns, SOON).toContain("A webhook has been due for");
    const owner = ["--account", accountId, "--mode", "test"];
    const deliveries = await fleet.ops<{ status: string }[]>("webhook", "deliveries", ...owner);
    expect(deliveries.map(({ status }) => status)).toContain("pending");
    isTarpit = false;
    for (const answer of held) answer();
    await expect.poll(() => firing("WebhookAge"), SOON).toEqual([]);
  });

  it("says that the stream is down, then that it was lost, and ends with nothing to say", async () => {
    const servers = fleet.natsServers();
    await Promise.all(servers.map((server) => server.kill()));
    await expect.poll(() => firing("EventStreamDown"), SOON).toEqual(["EventStreamDown"]);
    await expect.poll(concerns, SOON).toContain("gateway has no connection to NATS");
    const wipe = (folder: string) => rm(folder, { recursive: true, force: true });
    await Promise.all(servers.map((server) => wipe(fleet.storeOf(server))));
    await Promise.all(servers.map((server) => server.start()));
    await expect.poll(() => firing("EventStreamLost"), SOON).toEqual(["EventStreamLost"]);
    await expect.poll(() => prometheus.firing(), SOON).toEqual([]);
    await expect.poll(concerns, SOON).toBe("");
    expect(await fleet.ops("reconcile")).toEqual([]);
    const owner = ["--account", accountId, "--mode", "live"];
    expect(await fleet.ops("transaction", "list", ...owner)).not.toEqual([]);
  });
});

/** What five minutes would do to webhooks that wait meanwhile. */
async function fiveMinutesLater(fleet: Fleet): Promise<void> {
  const url = new URL(fleet.postgres.superuserUrl());
  url.pathname = "/media";
  const sql = postgres(url.href, { max: 1 });
  await sql`
    update delivery.webhook_deliveries set next_attempt_at = next_attempt_at - interval '5 minutes'
    where status = 'pending' and lease_until is null`;
  await sql.end();
}

function upstreamsAt(base_url: string) {
  const entry = { provider: "openai", name: "upstream-one", model: "video", credential: "one" };
  return { credentials: { one: {} }, models: { [MODEL]: [{ ...entry, base_url }] } };
}

/** Takes jobs in OpenAI's dialect and never ends them; may be stopped, started again, and refuse our key. */
async function startUpstream() {
  let jobs = 0;
  let isRefusing = false;
  const answer: RequestListener = (request, response) => {
    request.resume();
    const refusal = { error: { code: "invalid_api_key", message: "no", type: "" } };
    const job = { id: `job-${(jobs += 1)}`, object: "video", status: "queued", progress: 0 };
    response.writeHead(isRefusing ? 401 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isRefusing ? refusal : job));
  };
  let server = await startHttp(answer);
  const { url, port } = server;
  return {
    url,
    stop: () => server[Symbol.asyncDispose](),
    async start() {
      server = await startHttp(answer, "127.0.0.1", port);
    },
    refuses: (isSo: boolean) => void (isRefusing = isSo),
  };
}
