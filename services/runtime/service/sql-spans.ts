/** Spans of statements, by verb and table; their values are never known here. */
import type { StatementObserver } from "../postgres/statement-name.ts";
import { isRecorded } from "../work-context.ts";
import { NO_TRACER, type Tracer } from "../tracing/tracer.ts";

/** The observer, with a span of each statement that is sent for something that is traced. */
export function withSqlSpans<T extends StatementObserver>(observer: T, tracer: Tracer): T {
  if (tracer === NO_TRACER) return observer;
  return {
    ...observer,
    ended(statement, ms, sentFrom, error) {
      observer.ended(statement, ms, sentFrom, error);
      const parent = sentFrom.traceparent;
      if (parent === undefined || !isRecorded(parent)) return;
      const fields = { "db.operation.name": statement };
      tracer
        .begin(`sql ${statement}`, { kind: "client", fields, parent, agoMs: ms })
        .end({}, error);
    },
  };
}
