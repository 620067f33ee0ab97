/** The comparison of holds with generations finds every difference, and none where there is none. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { compareHolds } from "../../../services/generation/holds/holds.ts";
import { running } from "../../support/scripted-provider.ts";
import { createVideo, useHarness } from "../fixture.ts";

const h = useHarness({ tokens: 100_000n });

const hold = (generationId: string) => ({
  accountId: h.accountId,
  mode: Mode.LIVE,
  generationId,
  attempt: 1,
});

describe("the comparison of holds with generations", () => {
  it("finds no difference at any stage of a generation's life", async () => {
    h.provider.onPoll = () => running(1_000);
    await createVideo(h);
    await h.drain();
    await createVideo(h);
    h.faults.reserve = true;
    await createVideo(h).catch(() => {});
    h.faults.reserve = false;
    h.clock.advance(3 * 60_000);
    const { holds, generations, discrepancies } = await compareHolds(h.deps);
    expect(discrepancies).toEqual([]);
    expect([holds, generations]).toEqual([2, 2]);
  });

  it("finds a hold without its generation and a generation without its hold", async () => {
    const missing = randomId("vgen");
    await h.billing.reserve({ hold: hold(missing), tokens: 5n });
    const { generationId } = await createVideo(h);
    await h.billing.release({ hold: hold(generationId) });
    expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
    h.clock.advance(3 * 60_000);
    const { discrepancies } = await compareHolds(h.deps);
    expect(discrepancies.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { ...hold(generationId), kind: "generation_without_hold" },
      { ...hold(missing), kind: "hold_without_generation" },
    ]);
  });

  it("releases a hold without its generation if it is told to, and no other", async () => {
    const missing = randomId("vgen");
    await h.billing.reserve({ hold: hold(missing), tokens: 5n });
    const { generationId: unfinished } = await createVideo(h);
    const { generationId: ended } = await createVideo(h);
    await h.deps.sql`
      update generation.generations set status = 'success', completed_at = ${h.clock.now()} where id = ${ended}`;
    await h.deps.sql`delete from generation.tasks where id = ${ended}`;
    h.clock.advance(3 * 60_000);
    const ids = [missing, unfinished, ended];
    const isOpen = async () => (await h.billing.checkHolds({ holds: ids.map(hold) })).open;
    const found = async (release: boolean) => {
      const { discrepancies } = await h.client.reconcile({ release });
      return discrepancies
        .filter(({ generationId }) => ids.includes(generationId))
        .map(({ kind, released }) => `${kind} ${released ? "released" : "open"}`)
        .toSorted();
    };
    const other = "hold_of_ended_generation open";
    expect(await found(false)).toEqual([other, "hold_without_generation open"]);
    expect(await isOpen()).toEqual([true, true, true]);
    expect(await found(true)).toEqual([other, "hold_without_generation released"]);
    expect(await isOpen()).toEqual([false, true, true]);
    expect(await found(true)).toEqual([other]);
  });
});
