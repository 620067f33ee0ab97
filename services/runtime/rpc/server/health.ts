/** The standard gRPC health service. */
import type { ConnectRouter } from "@connectrpc/connect";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus,
} from "#gen/proto/grpc/health/v1/health_pb.ts";
import type { IsReady } from "../../postgres/readiness.ts";

/** Without `Watch`, which answers UNIMPLEMENTED: clients take that for a server that need not be watched. */
export function healthRoutes(router: ConnectRouter, isReady: IsReady): void {
  router.service(HealthService, {
    check: async () => ({
      status: (await isReady())
        ? HealthCheckResponse_ServingStatus.SERVING
        : HealthCheckResponse_ServingStatus.NOT_SERVING,
    }),
  });
}
