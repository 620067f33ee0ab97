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

/** Whether the alert is on after the work that was done with the upstream since its start. */
async function alertAfter(work: (times: Times) => Promise<void>) {
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
  return holds("UpstreamRefuses", [before, await scrape(registry, 60)]);
}

type Step = (answer: object) => Promise<void>;
type Times = (count: number, call: "submit" | "poll", answer: object) => Promise<void>;

it("an upstream that refuses ten requests and makes none alerts, and nine do not", async () => {
  expect(await alertAfter((times) => times(FEWEST, "submit", refused))).toBe(true);
  expect(await alertAfter((times) => times(FEWEST - 1, "submit", refused))).toBe(false);
});

it("jobs that end because of their input count as refused; polls of running ones do not count", async () => {
  const isOn = await alertAfter(async (times) => {
    await times(FEWEST, "poll", refusedJob);
    await times(50, "poll", { kind: "running", pollAfterMs: 1 });
    await times(50, "submit", { kind: "accepted", upstreamId: "job" });
  });
  expect(isOn).toBe(true);
});

it("an upstream that also makes results, or fails by its own fault, does not alert", async () => {
  for (const answer of [FINISHED, failed]) {
    const isOn = await alertAfter(async (times) => {
      await times(30, "submit", refused);
      await times(5, "poll", answer);
    });
    expect(isOn).toBe(false);
  }
});
