/** All that generation's rooms depend on; each says what it needs itself. */
import type { Deps as RpcDeps } from "./rpc/deps.ts";
import type { Deps as WorkerDeps } from "./worker/steps/step.ts";

export type Deps = RpcDeps & WorkerDeps;
