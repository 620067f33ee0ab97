/** The end user of a generation: in lists, usage and jobs, and whether it stays. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { jobOf } from "../../../services/generation/domain/job.ts";
import { findGenerations } from "../../../services/generation/store/generations.ts";
import { after, createVideo, useHarness } from "../fixture.ts";

const h = useHarness();
let accountId: string;
let other: string;
beforeAll(async () => {
  accountId = await h.account(100_000n);
  other = await h.account(100_000n);
});

const createFor = (endUser?: string, account = accountId) =>
  createVideo(h, { accountId: account, input: endUser === undefined ? {} : { endUser } });

async function usageByUser() {
  const { usage } = await h.client.getUsage({
    accountId,
    mode: Mode.LIVE,
    from: timestampFromDate(addMs(h.clock.now(), -86_400_000)),
    to: timestampFromDate(addMs(h.clock.now(), 1_000)),
    groupBy: UsageGroup.END_USER,
  });
  return usage.map(({ endUser, tokens, reserved }) => [endUser, tokens, reserved]);
}

describe("an end user", () => {
  it("filters lists, groups usage, and goes with the generation that is deleted", async () => {
    const ann = await createFor("ann");
    h.clock.advance(1_000);
    const bob = await createFor("bob");
    await createFor();
    const listed = async (endUser: string) => {
      const request = { accountId, mode: Mode.LIVE, kind: Kind.VIDEO, limit: 10, endUser };
      return (await h.client.listGenerations(request)).generations.map(({ id }) => id);
    };
    expect(await listed("ann")).toEqual([ann.generationId]);
    expect(await listed("bob")).toEqual([bob.generationId]);
    for (const nobody of ["an", ""]) expect(await listed(nobody)).toEqual([]);
    expect(await usageByUser()).toEqual([
      ["", 0n, 210n],
      ["ann", 0n, 210n],
      ["bob", 0n, 210n],
    ]);
    for (let i = 0; i < 5; i++) await after(h, 60_000);
    expect(await usageByUser()).toEqual([
      ["", 210n, 0n],
      ["ann", 210n, 0n],
      ["bob", 210n, 0n],
    ]);
    await h.client.deleteGeneration({ ...ann, kind: Kind.VIDEO });
    await h.drain();
    expect(await usageByUser()).toEqual([
      ["", 420n, 0n],
      ["bob", 210n, 0n],
    ]);
  });

  it("is told upstreams by a hash only, another for each user and account, and else for the account", async () => {
    const fields = { upstreamModel: "m", parameters: {} };
    const named = async (endUser?: string, account?: string) => {
      const { accountId: owner, generationId: id } = await createFor(endUser, account);
      const [row] = await findGenerations(h.sql, [{ accountId: owner, id }]);
      return row && jobOf(row, "token", h.deps.catalog, fields).endUser;
    };
    const [ann, again, bob, elsewhere, none] = [
      await named("ann"),
      await named("ann"),
      await named("bob"),
      await named("ann", other),
      await named(),
    ];
    expect(again).toBe(ann);
    expect(new Set([ann, bob, elsewhere, none]).size).toBe(4);
    for (const one of [ann, bob, elsewhere, none]) expect(one).toMatch(/^[0-9a-f]{32}$/);
  });
});
