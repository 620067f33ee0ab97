/** Metrics of a service's pool of Postgres connections, and metrics and spans of its statements. */
import type { Registry } from "prom-client";
import { metricsIn } from "../metrics/metrics.ts";
import type { PoolObserver } from "../postgres/pool.ts";
import type { StatementObserver } from "../postgres/statement.ts";
import { NO_TRACER, type Tracer } from "../tracing/tracer.ts";
import { isRecorded } from "../work-context.ts";

/** With a span of each statement that is sent for something that is traced. */
export function sqlMetrics(
  registry: Registry,
  tracer: Tracer = NO_TRACER,
): PoolObserver & StatementObserver {
  const { counter, duration, gauge } = metricsIn(registry);
  const waits = duration(
    "media_sql_pool_wait_seconds",
    "How long callers waited for a connection, also in vain; those that found one free do not count",
  );
  const refused = counter(
    "media_sql_pool_refused_total",
    "Callers that got no connection of the pool",
  );
  const statements = duration(
    "media_sql_statement_duration_seconds",
    "How long statements took in Postgres and on the way",
    ["statement"],
  );
  const failed = counter(
    "media_sql_statement_errors_total",
    "Statements that failed, by verb and table",
    ["statement"],
  );
  let countsOf: Parameters<PoolObserver["opened"]>[0] = () => ({ in_use: 0, idle: 0, waiting: 0 });
  const held = "Connections of the pool, and callers that wait for one";
  gauge("media_sql_pool_connections", held, ["state"], (connections) => {
    for (const [state, count] of Object.entries(countsOf())) connections.set({ state }, count);
  });
  return {
    opened: (counts) => void (countsOf = counts),
    waited: (ms) => waits.observe(ms / 1_000),
    refused(ms) {
      refused.inc();
      waits.observe(ms / 1_000);
    },
    ended(statement, ms, { traceparent: parent }, error) {
      statements.observe({ statement }, ms / 1_000);
      if (error !== undefined) failed.inc({ statement });
      if (parent === undefined || !isRecorded(parent)) return;
      const fields = { "db.operation.name": statement };
      const span = { kind: "client", fields, parent, agoMs: ms } as const;
      tracer.begin(`sql ${statement}`, span).end({}, error);
    },
  };
}
