/** The standard gRPC health service. */
import type { ConnectRouter } from "@connectrpc/connect";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus,
} from "#gen/proto/grpc/health/v1/health_pb.ts";
import { systemClock } from "../clock.ts";

/** Whether this service can serve calls now; a rejection counts as no. */
export type Health = () => Promise<boolean>;

const WATCH_INTERVAL_MS = 1_000;

export function healthRoutes(router: ConnectRouter, health: Health): void {
  const check = async () => ({
    status: (await health().catch(() => false))
      ? HealthCheckResponse_ServingStatus.SERVING
      : HealthCheckResponse_ServingStatus.NOT_SERVING,
  });
  router.service(HealthService, {
    check,
    async *watch(_request, context) {
      let last: number | undefined;
      while (!context.signal.aborted) {
        const now = await check();
        if (now.status !== last) yield now;
        last = now.status;
        await systemClock.sleep(WATCH_INTERVAL_MS, context.signal);
      }
    },
  });
}
