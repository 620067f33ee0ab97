/** What the metrics of all services share: bounds of durations, timing, figures for scrapes, and those of process and RPCs. */
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { X509Certificate } from "node:crypto";
import { Counter, Gauge, Histogram, collectDefaultMetrics, type Registry } from "prom-client";
import { type Clock, systemClock, within } from "../clock.ts";
import type { IsReady } from "../postgres/readiness.ts";
import { NO_TRACER, inSpan, type SpanStart, type Tracer } from "../tracing/tracer.ts";
import { VERSION } from "../version.ts";

/** The bounds in seconds: from a statement of a warm Postgres to the copy of a large video. */
const DURATION_BUCKETS: number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120,
];

/** Makes metrics of `registry`; `duration` is of how long something took, in seconds. */
export function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** `read` sets the gauge, at each scrape. */
    gauge: <L extends string>(
      name: string,
      help: string,
      labelNames: readonly L[] = [],
      read: (gauge: Gauge<L>) => unknown = () => {},
    ) =>
      new Gauge<L>({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          await read(this);
        },
      }),
    duration: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Histogram({ name, help, labelNames, buckets: DURATION_BUCKETS, registers }),
  };
}

/** Runs `work`; tells `observe` its result or error, and the seconds until then. Rejects as `work` does. */
export async function timed<T>(
  work: () => Promise<T>,
  observe: (result: PromiseSettledResult<T>, seconds: number) => void,
): Promise<T> {
  const startedMs = performance.now();
  const [result] = await Promise.allSettled([(async () => work())()]);
  observe(result, (performance.now() - startedMs) / 1_000);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** However many scrapers there are, the figures are read once in this time. */
const FRESH_MS = 5_000;
/** A scrape does not wait longer for them: it has other figures too, which matter most when Postgres hangs. */
const WAIT_MS = 1_000;
/** Figures that are older than this are not shown any more. */
const STALE_MS = 30_000;
/** No comparison with it is true: `ops status` and the alert FiguresUnread look for it. */
const UNREAD = [{ labels: {}, value: NaN }];

/** Reads seldom, by one reader at a time. Returns the last value, undefined without a recent one. Never rejects. */
export function sampled<T>(clock: Clock, read: () => Promise<T>): () => Promise<T | undefined> {
  let last: { atMs: number; value: T } | undefined;
  let reading: Promise<void> | undefined;
  const refresh = async () => {
    const value = await read().catch(() => undefined);
    if (value !== undefined) last = { atMs: clock.monotonicMs(), value };
    reading = undefined;
  };
  const ageMs = () => (last ? clock.monotonicMs() - last.atMs : Infinity);
  return async () => {
    if (ageMs() >= FRESH_MS) await within(clock, WAIT_MS, (reading ??= refresh()));
    return ageMs() < STALE_MS ? last?.value : undefined;
  };
}

type Shown = { labels: Record<string, string>; value: number };

/** Gauges of what `read` reads, by name: each one's help, and what it shows. Unread figures are shown as NaN. */
export function figureGauges<T>(
  registry: Registry,
  read: () => Promise<T | undefined>,
  labelNames: readonly string[],
  gauges: Record<string, readonly [help: string, shownOf: (figures: T) => readonly Shown[]]>,
): void {
  for (const [name, [help, shownOf]] of Object.entries(gauges)) {
    metricsIn(registry).gauge(name, help, labelNames, async (gauge) => {
      const figures = await read();
      gauge.reset();
      // A gauge without labels would show 0.
      gauge.remove({});
      const shown = figures === undefined ? UNREAD : shownOf(figures);
      for (const { labels, value } of shown) gauge.set(labels, value);
    });
  }
}

export type ProcessFacts = {
  service: string;
  /** PEM texts by what they are for; undefined where there is none. */
  certificates: Readonly<Record<string, string | undefined>>;
  /** When the service's own key was made, in seconds since 1970. */
  keyMadeAt: number;
  isReady: IsReady;
};

/** Metrics of the process itself: Node's own, its release, its readiness, and the age of its keys and certificates. */
export function processMetrics(registry: Registry, facts: ProcessFacts): void {
  const { gauge } = metricsIn(registry);
  collectDefaultMetrics({ register: registry });
  gauge("media_build_info", "1; the labels name the service and its release", [
    "service",
    "version",
  ]).set({ service: facts.service, version: VERSION }, 1);
  const ready = "1 while this process can serve calls: its Postgres answers, and it does not stop";
  gauge("media_ready", ready, [], async (one) => {
    one.set((await within(systemClock, WAIT_MS, facts.isReady())) ? 1 : 0);
  });
  const expiry = gauge(
    "media_certificate_expiry_timestamp_seconds",
    "When a certificate of this process expires",
    ["certificate"],
  );
  for (const [certificate, pem] of Object.entries(facts.certificates)) {
    if (pem) expiry.set({ certificate }, Date.parse(new X509Certificate(pem).validTo) / 1_000);
  }
  gauge("media_service_key_created_timestamp_seconds", "When this service's key was made").set(
    facts.keyMadeAt,
  );
}

type Observe = (rpc: string, code: string, seconds: number) => void;

/** Metrics and spans of RPCs: rate, errors and duration of those that a service answers and of those that it makes. */
export function rpcMetrics(registry: Registry, tracer: Tracer = NO_TRACER) {
  const { duration } = metricsIn(registry);
  const served = duration(
    "media_rpc_server_duration_seconds",
    "How long RPCs took that this service answered",
    ["rpc", "code"],
  );
  const called = duration(
    "media_rpc_client_duration_seconds",
    "How long RPCs took that this service made",
    ["service", "rpc", "code"],
  );
  const observed =
    (start: SpanStart, observe: Observe): Interceptor =>
    (next) =>
    async (request) => {
      // A stream lasts as long as somebody listens.
      if (request.stream) return next(request);
      const { name } = request.method;
      const span = { ...start, fields: { "rpc.method": name } };
      return timed(
        () => inSpan(tracer, `rpc ${name}`, span, async () => next(request)),
        (result, seconds) => {
          const isOk = result.status === "fulfilled";
          observe(name, isOk ? "ok" : codeToString(ConnectError.from(result.reason).code), seconds);
        },
      );
    };
  return {
    /** Counts calls that the gate let in. It follows the interceptor that receives the context. */
    server: observed({ kind: "server", isRoot: true }, (rpc, code, seconds) =>
      served.observe({ rpc, code }, seconds),
    ),
    /** Counts calls to the service of that name; a repeated call counts once. Stands before the one that sends the context. */
    client: (service: string) =>
      observed({ kind: "client" }, (rpc, code, seconds) =>
        called.observe({ service, rpc, code }, seconds),
      ),
  };
}
