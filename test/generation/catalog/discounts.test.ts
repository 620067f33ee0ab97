/** How long an account's discounts are kept. */
import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, it } from "vitest";
import {
  GetDiscountsResponseSchema,
  type GetDiscountsResponse,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { accountDiscounts } from "../../../services/generation/catalog/discounts.ts";
import { manualClock } from "../../support/manual-clock.ts";

/** The answers that billing still owes, in the order of its calls. */
let calls: PromiseWithResolvers<GetDiscountsResponse>[] = [];
beforeEach(() => void (calls = []));

const answer = (basisPoints: number) =>
  create(GetDiscountsResponseSchema, { discounts: [{ model: "", basisPoints }] });

function discounts(clock = manualClock()) {
  const getDiscounts = () => {
    const call = Promise.withResolvers<GetDiscountsResponse>();
    calls.push(call);
    return call.promise;
  };
  return { clock, discountsOf: accountDiscounts({ getDiscounts }, clock) };
}

it("are read again after a second, and by account", async () => {
  const { clock, discountsOf } = discounts();
  const first = discountsOf("acc_1");
  calls[0]?.resolve(answer(100));
  expect(await first).toEqual(new Map([["", 100]]));
  expect(await discountsOf("acc_1")).toEqual(new Map([["", 100]]));
  void discountsOf("acc_2");
  expect(calls).toHaveLength(2);
  clock.advance(1_001);
  const next = discountsOf("acc_1");
  calls[2]?.resolve(answer(200));
  expect(await next).toEqual(new Map([["", 200]]));
});

it("that could not be read are read again at once", async () => {
  const { discountsOf } = discounts();
  const failed = discountsOf("acc_1");
  calls[0]?.reject(new Error("unavailable"));
  await expect(failed).rejects.toThrow("unavailable");
  void discountsOf("acc_1");
  expect(calls).toHaveLength(2);
});
