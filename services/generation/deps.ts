/** The dependencies of all folders of generation. */
import type { Deps as RpcDeps } from "./rpc/deps.ts";
import type { Deps as WorkerDeps } from "./worker/steps/step.ts";

export type Deps = RpcDeps & WorkerDeps;
