/** How transactions are told to people. */
import { expect, it } from "vitest";
import { foldCaptures } from "../../../clients/dashboard/src/components/transaction-words.ts";

const entry = (
  type: "recharge" | "reserve" | "capture" | "release",
  tokens: number,
  id?: string,
) => ({
  type,
  tokens,
  ...(id && { generation_id: id }),
});

const wordsOf = (...entries: ReturnType<typeof entry>[]) =>
  foldCaptures(entries).map(({ transaction, word }) => `${word} ${transaction.tokens}`);

it("makes one row of a generation that was charged what it had reserved", () => {
  const all = [
    entry("capture", 0, "b"),
    entry("release", 5, "a"),
    entry("reserve", -7, "b"),
    entry("reserve", -5, "a"),
    entry("recharge", 100),
  ];
  expect(wordsOf(...all)).toEqual(["restored 5", "charged -7", "reserved -5", "added 100"]);
});

it("keeps a charge of which the reservation is on a later page, and one of another amount", () => {
  expect(wordsOf(entry("capture", 0, "a"))).toEqual(["charged 0"]);
  expect(wordsOf(entry("capture", 2, "a"), entry("reserve", -9, "a"))).toEqual([
    "charged 2",
    "reserved -9",
  ]);
});
