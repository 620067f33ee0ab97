/** The standard gRPC health service. */
import type { ConnectRouter } from "@connectrpc/connect";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus,
} from "#gen/proto/grpc/health/v1/health_pb.ts";
import { systemClock } from "../../clock.ts";
import type { IsReady } from "../../postgres/readiness.ts";

const WATCH_INTERVAL_MS = 1_000;

/** Streams of Watch end when `end` aborts. */
export function healthRoutes(router: ConnectRouter, isReady: IsReady, end: AbortSignal): void {
  const check = async () => ({
    status: (await isReady())
      ? HealthCheckResponse_ServingStatus.SERVING
      : HealthCheckResponse_ServingStatus.NOT_SERVING,
  });
  router.service(HealthService, {
    check,
    async *watch(_request, context) {
      const signal = AbortSignal.any([context.signal, end]);
      let last: number | undefined;
      while (!signal.aborted) {
        const now = await check();
        if (now.status !== last) yield now;
        last = now.status;
        await systemClock.sleep(WATCH_INTERVAL_MS, signal);
      }
    },
  });
}
