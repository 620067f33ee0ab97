/** ListGenerations: the order, pages and filters of an account's list. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf, reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { createVideo, useHarness, withWorkers } from "../harness.ts";

const h = useHarness();
let accountId: string;
/** Newest first. */
const created: { id: string; at: Date }[] = [];
beforeAll(async () => {
  accountId = await h.account(100_000n);
  for (let i = 0; i < 7; i++) {
    h.clock.advance(1_000);
    const model = i % 2 === 0 ? "alpha-2.0" : "beta-3.0-video";
    const { generationId } = await createVideo(h, { accountId, model });
    created.unshift({ id: generationId, at: h.clock.now() });
  }
});

const list = () => ({ accountId, mode: Mode.LIVE, kind: Kind.VIDEO });
const idsOf = async (filter: object) => {
  const answer = await h.client.listGenerations({ ...list(), limit: 100, ...filter });
  return answer.generations.map(({ id }) => id);
};

describe("a list of generations", () => {
  it("is newest first and pages without a gap or a repetition", async () => {
    const seen: string[] = [];
    let hasMore = true;
    while (hasMore) {
      const after = seen.at(-1);
      const request = { ...list(), limit: 3, ...(after === undefined ? {} : { after }) };
      const page = await h.client.listGenerations(request);
      seen.push(...page.generations.map(({ id }) => id));
      ({ hasMore } = page);
    }
    expect(seen).toEqual(created.map(({ id }) => id));
  });

  it("filters by model, status and time", async () => {
    const byModel = created.filter((_one, index) => index % 2 === 0).map(({ id }) => id);
    expect(await idsOf({ model: "alpha-2.0" })).toEqual(byModel);
    expect(await idsOf({ status: Status.SUCCESS })).toEqual([]);
    expect(await idsOf({ status: Status.PENDING })).toHaveLength(7);
    const [third, sixth] = [created[2]?.at ?? new Date(), created[5]?.at ?? new Date()];
    const between = {
      createdAfter: timestampFromDate(sixth),
      createdBefore: timestampFromDate(third),
    };
    expect(await idsOf(between)).toEqual([created[3]?.id, created[4]?.id]);
  });

  it("shows only the generations of its account, mode and kind", async () => {
    expect(await idsOf({ accountId: randomId("acct") })).toEqual([]);
    expect(await idsOf({ mode: Mode.TEST })).toEqual([]);
    expect(await idsOf({ kind: Kind.IMAGE })).toEqual([]);
  });

  it("that have ended is found for many names at once, each within its account", async () => {
    const [ended, running] = created.map(({ id }) => id);
    const cancel = { accountId, mode: Mode.LIVE, generationId: ended ?? "" };
    await withWorkers(h, () => h.client.cancelVideo(cancel));
    const names = [
      { accountId, generationId: ended ?? "" },
      { accountId, generationId: running ?? "" },
      { accountId: randomId("acct"), generationId: ended ?? "" },
      { accountId, generationId: "nonsense" },
    ];
    expect((await h.client.findEnded({ generations: names })).generationIds).toEqual([ended]);
    expect((await h.client.findEnded({})).generationIds).toEqual([]);
  });

  it("refuses a cursor that is not in the list, naming the field", async () => {
    const error: unknown = await idsOf({ after: randomId("vgen") }).catch(
      (cause: unknown) => cause,
    );
    expect(reasonOf(error)).toBe(ErrorReason.NOT_FOUND);
    expect(faultsOf(error)[0]?.field).toBe("after");
  });
});
