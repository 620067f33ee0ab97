/** The alerts about tasks, money and refusals: each is made true by its cause, and false by what mends it. */
import { Registry } from "prom-client";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { createMetrics, taskMetrics } from "../../services/generation/metrics/metrics.ts";
import { readTaskFigures } from "../../services/generation/store/tasks.ts";
import { compareJob } from "../../services/generation/holds/holds.ts";
import { holds } from "../support/alert-rules.ts";
import { FINISHED, running, scriptedProvider } from "../support/scripted-provider.ts";
import { figure, scrape } from "../support/scrape.ts";
import { isDown, useHarness } from "./fixture.ts";
import { observing } from "../../services/generation/upstreams/observed.ts";
import { failed, UPSTREAM_FAILURES } from "../../services/generation/providers/shared/outcome.ts";
import { jobWith, never } from "./providers/provider-under-test.ts";

const h = useHarness({ tokens: 100_000n });
let registry: Registry;

beforeEach(() => {
  registry = new Registry();
  h.deps.metrics = createMetrics(registry);
  const { clock, sql } = h;
  taskMetrics(registry, clock, () => readTaskFigures(sql, clock.now()), []);
});

/** Whether the alert's condition holds now. Prometheus comes at regular intervals: so figures are read anew. */
async function isOn(alert: string): Promise<boolean> {
  h.clock.advance(5_000);
  return holds(alert, await scrape(registry));
}

it("tells how long tasks have waited in their queue, and how many were taken out of it", async () => {
  await h.createVideo();
  h.clock.advance(61_000);
  const names = ["media_oldest_queued_task_age_seconds", "media_tasks_taken_total"];
  const shown = async () => {
    const scraped = await scrape(registry);
    return names.map((name) => figure(scraped, name));
  };
  expect(await shown()).toEqual([61, 0]);
  h.provider.onPoll = () => running(600_000);
  await h.drain();
  h.clock.advance(5_000);
  expect(await shown()).toEqual([0, 1]);
});

it("a frozen worker lets due tasks grow old; one that goes on does what is due", async () => {
  h.provider.onPoll = () => running(1_000);
  await h.createVideo();
  await h.drain();
  expect(await isOn("OldestDueTask")).toBe(false);
  h.clock.advance(70_000);
  expect(await isOn("OldestDueTask")).toBe(true);
  h.provider.onPoll = () => ({ kind: "stopped" });
  await h.drain();
  expect(await isOn("OldestDueTask")).toBe(false);
});

it("an upstream that answers neither a submit nor the look-up of it leaves it unknown", async () => {
  h.provider.onSubmit = () => ({ kind: "unknown" });
  await h.createVideo();
  await h.drain();
  expect(await isOn("UnknownSubmits")).toBe(false);
  await h.after(61_000);
  expect(await isOn("UnknownSubmits")).toBe(true);
  h.provider.onFind = () => "job";
  await h.after(60_000);
  expect(await isOn("UnknownSubmits")).toBe(false);
});

const reconcile = () => compareJob(h.deps).run(new AbortController().signal);

it("a hold without its generation is a discrepancy until it is released", async () => {
  const name = { accountId: h.accountId, mode: Mode.LIVE, generationId: randomId("vgen") };
  const hold = { ...name, attempt: 1 };
  await h.billing.reserve({ hold, tokens: 5n });
  h.clock.advance(3 * 60_000);
  await reconcile();
  expect(await isOn("HoldDiscrepancies")).toBe(true);
  await h.billing.release({ hold });
  await reconcile();
  expect(await isOn("HoldDiscrepancies")).toBe(false);
});

it("a comparison of holds that fails is no comparison without discrepancies", async () => {
  const shown = async () =>
    (await scrape(registry)).samples.filter(({ name }) => name === "media_hold_discrepancies");
  expect(await shown()).toEqual([]);
  await reconcile();
  expect(await shown()).toMatchObject([{ value: 0 }]);
  const restore = h.replace("billing", { listOpenHolds: isDown });
  await expect(reconcile()).rejects.toThrow("no connection");
  expect(await shown()).toMatchObject([{ value: NaN }]);
  expect(await isOn("FiguresUnread")).toBe(true);
  restore();
  await reconcile();
  expect(await isOn("FiguresUnread")).toBe(false);
});

it("ends are counted by kind, status and code, faults of ours from a zero on: a rate does not see a first value", async () => {
  await h.endTasks();
  const ended = async () =>
    (await scrape(registry)).samples
      .filter(({ name }) => name === "media_generations_ended_total")
      .map(({ labels, value }) => [...Object.values(labels), value]);
  expect(await ended()).toEqual([["image", "failed", "internal", 0]]);
  const { generationId } = await h.createImage();
  await h.withWorkers(() => h.client.failTask({ generationId }));
  await h.createImage();
  await h.drain();
  expect(await ended()).toEqual([
    ["image", "failed", "internal", 1],
    ["image", "success", "", 1],
  ]);
});

it("tells refusals from faults of the upstream's own and from results, in submits and polls", async () => {
  const outcomes: string[] = [];
  const scripted = scriptedProvider();
  const note = ({ outcome }: { outcome: string }) => void outcomes.push(outcome);
  const provider = observing(note, NO_TRACER)(scripted, "first");
  scripted.onSubmit = () => ({ kind: "refused", failure: UPSTREAM_FAILURES.invalidInput });
  await provider.submit(jobWith({ kind: "video" }), never);
  scripted.onSubmit = () => ({ kind: "accepted", upstreamId: "job" });
  await provider.submit(jobWith({ kind: "video" }), never);
  const { contentRejected, failed: broken } = UPSTREAM_FAILURES;
  for (const answer of [failed(contentRejected), failed(broken), running(1), FINISHED]) {
    scripted.onPoll = () => answer;
    await provider.poll("job", never);
  }
  expect(outcomes).toEqual(["refused", "accepted", "refused", "failed", "running", "succeeded"]);
});
