/** What counts as a refusal of an upstream, which an alert compares with its results. */
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { createMetrics } from "../../../services/generation/metrics/metrics.ts";
import {
  observedCalls,
  observedProvider,
} from "../../../services/generation/upstreams/observed.ts";
import { UPSTREAM_FAILURES } from "../../../services/generation/providers/shared/outcome.ts";
import { figure, scrape } from "../../support/scrape.ts";
import { FINISHED, scriptedProvider } from "../../support/scripted-provider.ts";
import { jobWith, never } from "../providers/provider-under-test.ts";

const CALLS = "media_upstream_call_duration_seconds_count";
const video = jobWith({ kind: "video" });
const failed = { kind: "failed", failure: UPSTREAM_FAILURES.failed } as const;
const refusedJob = { kind: "failed", failure: UPSTREAM_FAILURES.contentRejected } as const;
const refused = { kind: "refused", failure: UPSTREAM_FAILURES.invalidInput } as const;

type Times = (count: number, call: "submit" | "poll", answer: object) => Promise<void>;

/** How often each outcome is counted by the work that is done with the upstream. */
async function counted(work: (times: Times) => Promise<void>) {
  const registry = new Registry();
  const { upstreamCall } = createMetrics(registry);
  const scripted = scriptedProvider();
  const observe = (labels: object, seconds: number) => upstreamCall.observe(labels, seconds);
  const provider = observedProvider(scripted, "first", observedCalls({ observe }, NO_TRACER));
  await work(async (count, call, answer) => {
    scripted.onSubmit = scripted.onPoll = () => answer as never;
    for (let i = 0; i < count; i++)
      await (call === "submit" ? provider.submit(video, never) : provider.poll("job", never));
  });
  const scraped = await scrape(registry);
  return Object.fromEntries(
    ["refused", "failed", "succeeded"].map((outcome) => [
      outcome,
      figure(scraped, CALLS, { upstream: "first", outcome }),
    ]),
  );
}

it("counts refusals, faults of the upstream's own and results, and neither running jobs nor accepted submits", async () => {
  const outcomes = await counted(async (times) => {
    await times(10, "submit", refused);
    await times(9, "poll", refusedJob);
    await times(5, "poll", { kind: "running", pollAfterMs: 1 });
    await times(5, "submit", { kind: "accepted", upstreamId: "job" });
    await times(5, "poll", FINISHED);
    await times(3, "poll", failed);
  });
  expect(outcomes).toEqual({ refused: 19, failed: 3, succeeded: 5 });
});
