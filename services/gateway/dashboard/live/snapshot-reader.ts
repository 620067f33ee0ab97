/** Reads the snapshot of an account for live updates: recent generations of both kinds, and the balance. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isTerminal } from "#runtime/generation-status.ts";
import { modeOf } from "#runtime/mode.ts";
import type { ModeName } from "#runtime/mode.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import type { Deps } from "../../deps.ts";
import { presentBalance } from "../../presenters/balance.ts";
import { required } from "../../operations/operation.ts";
import type { Snapshot } from "./snapshot.ts";

/** Per kind; as many as a page of the dashboard's lists shows. */
const MAX_RECENT = 20;

export function snapshotReader(
  deps: Pick<Deps, "generation" | "billing">,
): (accountId: string, mode: ModeName) => Promise<Snapshot> {
  return async (accountId, mode) => {
    const page = { accountId, mode: modeOf(mode), limit: MAX_RECENT };
    const [videos, images, { balance, limits }] = await Promise.all([
      deps.generation.listGenerations({ ...page, kind: Kind.VIDEO }),
      deps.generation.listGenerations({ ...page, kind: Kind.IMAGE }),
      deps.billing.getBalance({ accountId, mode: modeOf(mode) }),
    ]);
    const generations = [...videos.generations, ...images.generations].map(updateOf);
    return {
      generations,
      balance: presentBalance(mode, required(balance), limits),
      isBusy: generations.some(({ status }) => !isTerminal(status)),
    };
  };
}

function updateOf(generation: Generation): Snapshot["generations"][number] {
  const { id, object, status, progress } = publicGeneration(generation, "");
  return { id, kind: object === "video.generation" ? "video" : "image", status, progress };
}
