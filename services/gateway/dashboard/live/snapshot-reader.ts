/** Reads the snapshot of an account for live updates: recent generations of both kinds, and the balance. */
import { Kind, type Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isTerminal } from "#vocabulary/generation-status.ts";
import { modeOf, type ModeName } from "#vocabulary/mode.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import type { Deps } from "../../edge/operations/deps.ts";
import { presentBalance } from "../../edge/presenters/balance.ts";
import { required } from "../../edge/presenters/required.ts";
import type { Snapshot } from "./snapshot.ts";

/** Per kind; as many as a page of the dashboard's lists shows. */
const MAX_RECENT = 20;

export function snapshotReader(
  deps: Pick<Deps, "generation" | "billing" | "tokenPrice">,
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
      balance: presentBalance(mode, required(balance), limits, deps.tokenPrice),
      isBusy: generations.some(({ status }) => !isTerminal(status)),
    };
  };
}

function updateOf(generation: Generation): Snapshot["generations"][number] {
  const { id, object, status, progress } = publicGeneration(generation, "");
  return { id, kind: object === "video.generation" ? "video" : "image", status, progress };
}
