/** Reads the snapshot of an account for live updates: recent generations of both kinds, and the balance. */
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import type { ModeName } from "#runtime/mode.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import type { Deps } from "../../deps.ts";
import { presentBalance } from "../../presenters/balance.ts";
import { required } from "../../operations/operation.ts";
import type { Snapshot } from "./snapshot.ts";

/** Per kind; as many as a page of the dashboard's lists shows. */
const MAX_RECENT = 20;

const UNFINISHED: ReadonlySet<Status> = new Set([Status.PENDING, Status.PROCESSING]);

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
    const recent = [...videos.generations, ...images.generations];
    return {
      generations: recent.map(updateOf),
      balance: presentBalance(mode, required(balance), limits),
      isBusy: recent.some(({ status }) => UNFINISHED.has(status)),
    };
  };
}

function updateOf(generation: Generation): Snapshot["generations"][number] {
  const { id, object, status, progress } = publicGeneration(generation, "");
  return { id, kind: object === "video.generation" ? "video" : "image", status, progress };
}
