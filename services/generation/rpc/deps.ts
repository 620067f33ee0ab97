/** What generation's RPCs depend on. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { DiscountsOf } from "../catalog/discounts.ts";
import type { Callbacks } from "../domain/callback.ts";
import type { CommonDeps } from "../holds/deps.ts";
import type { ConfiguredUpstreams } from "../upstreams/open-upstreams.ts";

export type Rpcs = Partial<ServiceImpl<typeof GenerationService>>;

export type Deps = CommonDeps & {
  discounts: DiscountsOf;
  /** The upstreams of live mode, for operators. */
  configuredUpstreams: Pick<ConfiguredUpstreams, "all" | "missingCredentials">;
  callbacks: Callbacks;
  /** How long the model's videos took lately; undefined if none has been made. */
  typicalTimes: { knownMs: (mode: ModeName, model: string) => Promise<number | undefined> };
};
