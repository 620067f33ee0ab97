/** Which traces are recorded, and that nothing is done for the others. */
import { openTelemetryTracer } from "#runtime/tracing/open-telemetry.ts";
import { inSpan, type Tracer } from "#runtime/tracing/tracer.ts";
import { inContext, UNRECORDED, workContext } from "#runtime/work-context.ts";
import { startOtlpReceiver } from "../../support/otlp-receiver.ts";

/** A request, its call of a service, and what that calls: the traceparent of each. */
async function request(tracer: Tracer): Promise<(string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  const note = () => seen.push(workContext().traceparent);
  await inContext({ requestId: "req_12345678" }, () =>
    inSpan(tracer, "request", { kind: "server", isRoot: true }, () =>
      inSpan(tracer, "call", { kind: "client" }, async () => {
        note();
        await inSpan(tracer, "answer", { kind: "server", isRoot: true }, async () => note());
      }),
    ),
  );
  return seen;
}

it("records a part of the traces, each of them whole", async () => {
  await using collector = await startOtlpReceiver();
  const decisions = [0.05, 0.04, 0.9];
  const random = () => decisions.shift() ?? 1;
  const config = { endpoint: collector.url, sampledPart: 0.05 };
  const tracer = openTelemetryTracer("billing", config, random);
  expect(await request(tracer)).toEqual([UNRECORDED, UNRECORDED]);
  const recorded = await request(tracer);
  expect(await request(tracer)).toEqual([UNRECORDED, UNRECORDED]);
  await tracer[Symbol.asyncDispose]();
  const { spans } = collector;
  expect(spans.map(({ name }) => name).toSorted()).toEqual(["answer", "call", "request"]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(recorded).toEqual([expect.stringMatching(/-01$/), expect.stringMatching(/-01$/)]);
});
