/** Begins images in the commit that acknowledges them, where this process and their upstream have capacity. */
import { addMs } from "#runtime/clock.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Deps } from "./steps/deps.ts";
import { pictureUrls } from "../domain/input-urls.ts";
import { inputFromJson, type GenerationRow } from "../domain/generation.ts";
import { submitTokenOf } from "../domain/job.ts";
import { acknowledgeCreatesIfHeld, acknowledgedRow, type Queued } from "../store/creates.ts";
import { queueIfUnsent } from "../store/slots.ts";
import type { Change } from "../store/steps.ts";
import { MAX_BATCH, type Acknowledge } from "../store/writes.ts";
import type { Upstream } from "../upstreams/upstreams.ts";
import { LEASE_MS } from "./claim-work.ts";
import { slotFieldsOf, takeSlotsAtOnce } from "./slots/slots.ts";
import { queueDeadlineOf } from "./steps/step.ts";
import { submitIntended } from "./steps/submit.ts";
import { canServe } from "./steps/try-upstreams.ts";
import { writeKnown } from "./steps/write-known.ts";
import type { Worker } from "./worker.ts";

/**
 * Slot, lease and intent are written with the acknowledgement, and `worker` sends the image at once. Where there is no
 * capacity it waits in its queue as every other task does.
 */
export function imageBeginner(deps: Deps, worker: Pick<Worker, "capacity" | "begin">): Acknowledge {
  // Run again alone after a failure, an image could be begun twice: the first commit may only have lost its answer.
  const acknowledge = batchByKey<Change<Queued>, GenerationRow | null>({
    maxBatch: MAX_BATCH,
    failsTogether: true,
    run: (_queue, creates) => acknowledgeAndBegin(deps, worker, creates),
  });
  return async (row, change) =>
    (await acknowledge(`${row.mode} ${row.model}`, { row, change })) ?? undefined;
}

async function acknowledgeAndBegin(
  deps: Deps,
  worker: Pick<Worker, "capacity" | "begin">,
  creates: readonly Change<Queued>[],
): Promise<(GenerationRow | null)[]> {
  const [first, ...more] = creates.map(({ row }) => row);
  const capacity = worker.capacity();
  if (
    !first ||
    capacity.limit < 1 ||
    deps.upstreams.available(first.mode, first.model).length === 0
  ) {
    return whichHeld(creates, await acknowledgeCreatesIfHeld(deps.sql, creates));
  }
  let begun: GenerationRow[] = [];
  try {
    const acknowledged = await deps.sql.begin(async (tx) => {
      const slots = await takeSlotsAtOnce(deps, tx, [first, ...more], capacity, isReady);
      const changes = creates.map(({ row, change }, index) => {
        const slot = slots[index];
        return { row, change: slot ? { ...change, ...beginning(deps, row, slot) } : change };
      });
      begun = changes.flatMap(({ row, change }) =>
        change.step === "submit" ? [acknowledgedRow(row, change)] : [],
      );
      return whichHeld(changes, await acknowledgeCreatesIfHeld(tx, changes));
    });
    for (const row of acknowledged) if (row?.step === "submit") worker.begin(row, submitIntended);
    return acknowledged;
  } catch (error) {
    // It may be committed, and nothing was sent.
    for (const row of begun) worker.begin(row, releaseSlot);
    throw error;
  }
}

function whichHeld(
  changes: readonly Parameters<typeof acknowledgeCreatesIfHeld>[1][number][],
  areHeld: readonly boolean[],
): (GenerationRow | null)[] {
  return changes.map(({ row, change }, index) =>
    areHeld[index] ? acknowledgedRow(row, change) : null,
  );
}

/** Pictures have to be fetched before the intent. */
function isReady(row: GenerationRow, upstream: Upstream): boolean {
  const mustFetch = upstream.provider.takesBytes && pictureUrls(row).length > 0;
  return !mustFetch && canServe(upstream, inputFromJson(row.kind, row.input));
}

function beginning(deps: Deps, row: GenerationRow, slot: Upstream) {
  const now = deps.clock.now();
  return {
    ...slotFieldsOf(slot),
    step: "submit" as const,
    nextStepAt: now,
    leaseUntil: addMs(now, LEASE_MS),
    submitToken: submitTokenOf({ ...row, fence: row.fence + 1n }),
    submittedAt: now,
  };
}

/** The first step of an image whose beginning may not have been committed. */
async function releaseSlot(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<undefined> {
  const queueUntil = queueDeadlineOf(deps, row);
  await writeKnown(deps, row, signal, () => queueIfUnsent(deps.sql, row, queueUntil));
  deps.wake();
}
