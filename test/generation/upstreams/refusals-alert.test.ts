/** The alert about an upstream that refuses nearly everything, and what counts as a refusal. */
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { createMetrics } from "../../../services/generation/metrics/metrics.ts";
import {
  observedCalls,
  observedProvider,
} from "../../../services/generation/upstreams/observed.ts";
import { UPSTREAM_FAILURES } from "../../../services/generation/providers/shared/failures.ts";
import { holds } from "../../support/alert-rules.ts";
import { scrape } from "../../support/scrape.ts";
import { FINISHED, scriptedProvider } from "../../support/scripted-provider.ts";
import { jobWith, never } from "../providers/adapter-under-test.ts";

const FEWEST = 10;
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
  // Prometheus counts from the first sample of a series.
  for (const answer of [refused, { kind: "accepted", upstreamId: "job" }]) await submit(answer);
  for (const answer of [FINISHED, failed, refusedJob]) await poll(answer);
  const before = await scrape(registry);
  const times: Times = async (count, call, answer) => {
    for (let i = 0; i < count; i++) await (call === "submit" ? submit : poll)(answer);
  };
  await work(times);
  return [before, await scrape(registry, 60)];
}

type Step = (answer: object) => Promise<void>;
type Times = (count: number, call: "submit" | "poll", answer: object) => Promise<void>;

it("an upstream that refuses ten requests and makes none alerts, and nine do not", async () => {
  const refuse = (count: number) => scrapesAround((times) => times(count, "submit", refused));
  expect(holds("UpstreamRefuses", await refuse(FEWEST))).toBe(true);
  expect(holds("UpstreamRefuses", await refuse(FEWEST - 1))).toBe(false);
});

it("jobs that end because of their input count as refused; polls of running ones do not count", async () => {
  const scrapes = await scrapesAround(async (times) => {
    await times(FEWEST, "poll", refusedJob);
    await times(50, "poll", { kind: "running", pollAfterMs: 1 });
    await times(50, "submit", { kind: "accepted", upstreamId: "job" });
  });
  expect(holds("UpstreamRefuses", scrapes)).toBe(true);
});

it("an upstream that also makes results, or fails by its own fault, does not alert", async () => {
  for (const answer of [FINISHED, failed]) {
    const scrapes = await scrapesAround(async (times) => {
      await times(30, "submit", refused);
      await times(5, "poll", answer);
    });
    expect(holds("UpstreamRefuses", scrapes)).toBe(false);
  }
});
