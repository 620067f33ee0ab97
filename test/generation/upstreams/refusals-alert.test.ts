/** What counts as a refusal of an upstream, which an alert compares with its results. */
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { createMetrics } from "../../../services/generation/metrics/metrics.ts";
import {
  observedCalls,
  observedProvider,
} from "../../../services/generation/upstreams/observed.ts";
import { UPSTREAM_FAILURES } from "../../../services/generation/providers/shared/failures.ts";
import { figure, scrape, type Scrape } from "../../support/scrape.ts";
import { FINISHED, scriptedProvider } from "../../support/scripted-provider.ts";
import { jobWith, never } from "../providers/adapter-under-test.ts";

const CALLS = "media_upstream_call_duration_seconds_count";
const video = jobWith({ kind: "video" });
const failed = { kind: "failed", failure: UPSTREAM_FAILURES.failed } as const;
const refusedJob = { kind: "failed", failure: UPSTREAM_FAILURES.contentRejected } as const;
const refused = { kind: "refused", failure: UPSTREAM_FAILURES.invalidInput } as const;

/** What is scraped before and after the work that is done with the upstream. */
async function scrapesAround(work: (times: Times) => Promise<void>) {
  const registry = new Registry();
  const { upstreamCall } = createMetrics(registry);
  const observe = observedCalls(
    { observe: (labels, seconds) => upstreamCall.observe(labels, seconds) },
    NO_TRACER,
  );
  const scripted = scriptedProvider();
  const provider = observedProvider(scripted, "first", observe);
  const submit: Step = async (answer) => {
    scripted.onSubmit = () => answer as never;
    await provider.submit(video, never);
  };
  const poll: Step = async (answer) => {
    scripted.onPoll = () => answer as never;
    await provider.poll("job", never);
  };
  const before = await scrape(registry);
  const times: Times = async (count, call, answer) => {
    for (let i = 0; i < count; i++) await (call === "submit" ? submit : poll)(answer);
  };
  await work(times);
  return [before, await scrape(registry)] as const;
}

type Step = (answer: object) => Promise<void>;
type Times = (count: number, call: "submit" | "poll", answer: object) => Promise<void>;

/** How many more are counted with each outcome after the work. */
async function counted(work: (times: Times) => Promise<void>) {
  const [before, after] = await scrapesAround(work);
  return Object.fromEntries(
    ["refused", "failed", "succeeded"].map((outcome) => {
      const of = (one: Scrape) => figure(one, CALLS, { upstream: "first", outcome });
      return [outcome, of(after) - of(before)];
    }),
  );
}

it("counts refused submits, and jobs that end because of their input, as refused", async () => {
  const outcomes = await counted(async (times) => {
    await times(10, "submit", refused);
    await times(9, "poll", refusedJob);
  });
  expect(outcomes).toEqual({ refused: 19, failed: 0, succeeded: 0 });
});

it("counts neither polls of running jobs nor submits that are accepted", async () => {
  const outcomes = await counted(async (times) => {
    await times(5, "poll", { kind: "running", pollAfterMs: 1 });
    await times(5, "submit", { kind: "accepted", upstreamId: "job" });
  });
  expect(outcomes).toEqual({ refused: 0, failed: 0, succeeded: 0 });
});

it("counts results, and faults of the upstream's own, as such", async () => {
  const outcomes = await counted(async (times) => {
    await times(5, "poll", FINISHED);
    await times(3, "poll", failed);
  });
  expect(outcomes).toEqual({ refused: 0, failed: 3, succeeded: 5 });
});
