/** Serves Prometheus metrics. */
import type { Registry } from "prom-client";
import type { Log } from "../log.ts";

/** The response of HTTP/1.1 or HTTP/2. */
type Answer = {
  statusCode: number;
  setHeader: (name: string, value: string) => void;
  end: (text: string) => void;
};

/** Answers one request with all metrics; 500 when one of them cannot be collected. Never rejects. */
export async function answerMetrics(
  { metrics, log }: { metrics: Registry; log: Log },
  request: { resume: () => void },
  response: Answer,
): Promise<void> {
  request.resume();
  try {
    const text = await metrics.metrics();
    response.setHeader("content-type", metrics.contentType);
    response.end(text);
  } catch (error) {
    log.error({ err: error }, "metrics cannot be collected");
    response.statusCode = 500;
    response.end("");
  }
}
