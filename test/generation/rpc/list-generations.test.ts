import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf, reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
let accountId: string;
const made: { id: string; at: Date }[] = [];

beforeAll(async () => {
  h = await generationHarness();
  accountId = await h.account(100_000n);
  for (let i = 0; i < 7; i++) {
    h.clock.advance(1_000);
    const generationId = randomId("vgen");
    const model = i % 2 === 0 ? "alpha-2.0" : "beta-3.0-video";
    await h.client.createVideo({ ...list(), generationId, model, input: { prompt: `cat ${i}` } });
    made.unshift({ id: generationId, at: h.clock.now() });
  }
});
afterAll(() => h[Symbol.asyncDispose]());

const list = () => ({ accountId, mode: Mode.LIVE, kind: Kind.VIDEO });
const idsOf = async (filter: object) => {
  const answer = await h.client.listGenerations({ ...list(), limit: 100, ...filter });
  return answer.generations.map(({ id }) => id);
};

describe("a list of generations", () => {
  it("is newest first and pages without a gap or a repetition", async () => {
    const seen: string[] = [];
    for (let after: string | undefined; ; after = seen.at(-1)) {
      const request = { ...list(), limit: 3, ...(after === undefined ? {} : { after }) };
      const page = await h.client.listGenerations(request);
      seen.push(...page.generations.map(({ id }) => id));
      if (!page.hasMore) break;
    }
    expect(seen).toEqual(made.map(({ id }) => id));
  });

  it("filters by model, status and time", async () => {
    const byModel = made.filter((_one, index) => index % 2 === 0).map(({ id }) => id);
    expect(await idsOf({ model: "alpha-2.0" })).toEqual(byModel);
    expect(await idsOf({ status: Status.SUCCESS })).toEqual([]);
    expect(await idsOf({ status: Status.PENDING })).toHaveLength(7);
    const [third, sixth] = [made[2]?.at ?? new Date(), made[5]?.at ?? new Date()];
    const between = {
      createdAfter: timestampFromDate(sixth),
      createdBefore: timestampFromDate(third),
    };
    expect(await idsOf(between)).toEqual([made[3]?.id, made[4]?.id]);
  });

  it("shows nothing of another account, mode or kind", async () => {
    expect(await idsOf({ accountId: randomId("acct") })).toEqual([]);
    expect(await idsOf({ mode: Mode.TEST })).toEqual([]);
    expect(await idsOf({ kind: Kind.IMAGE })).toEqual([]);
  });

  it("refuses a cursor that is not of the list, naming the field", async () => {
    const error: unknown = await idsOf({ after: randomId("vgen") }).catch(
      (cause: unknown) => cause,
    );
    expect(reasonOf(error)).toBe(ErrorReason.NOT_FOUND);
    expect(faultsOf(error)[0]?.field).toBe("after");
  });
});
