/** What the operations of the public API depend on. */
import type { Client } from "@connectrpc/connect";
import type { components } from "#gen/openapi/media.ts";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Base } from "#runtime/service/service.ts";
import type { FindKey, KeyUses } from "../../accounts/keys.ts";
import type { RequestLog } from "../../accounts/request-log.ts";
import type { Contract } from "../http/contract.ts";
import type { UploadMemory } from "../http/json-body.ts";
import type { ShareRead } from "../http/request-state.ts";
import type { GatewayMetrics } from "../http/app-hooks.ts";
import type { TakeRequest } from "../rate-limit/limiter.ts";
import type { WaitingRequests } from "../waiting/waiting-requests.ts";

export type Deps = Omit<Base, "metrics"> & {
  generation: Client<typeof GenerationService>;
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
  waitingRequests: WaitingRequests;
  imageWaitSeconds: number;
  findKey: FindKey;
  keyUses: KeyUses;
  requestLog: RequestLog;
  takeRequest: TakeRequest;
  shareRead: ShareRead;
  contract: Contract;
  /** For the files that clients are sending. */
  uploads: UploadMemory;
  /** What a live Token costs in money; undefined: no money is shown. */
  tokenPrice: components["schemas"]["TokenPrice"] | undefined;
  metrics: GatewayMetrics;
  /** The base of the service's own URLs, without a trailing slash; known once the public port is open. */
  publicUrl: () => string;
  /** Storage keys are appended to this URL after a slash; known once the public port is open. */
  assetBaseUrl: () => string;
};
