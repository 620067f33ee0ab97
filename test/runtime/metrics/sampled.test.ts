/** Figures that are read for scrapes. */
import { sampled } from "#runtime/metrics/metrics.ts";
import { manualClock } from "../../support/manual-clock.ts";

/** Each read waits until the test answers it. */
function fixture() {
  const clock = manualClock("2026-11-21T12:00:00.000Z");
  const reads: PromiseWithResolvers<number>[] = [];
  const figures = sampled(clock, () => {
    const read = Promise.withResolvers<number>();
    reads.push(read);
    return read.promise;
  });
  return { clock, reads, figures };
}

it("are read once for all who ask within five seconds", async () => {
  const { clock, reads, figures } = fixture();
  const [first, second] = [figures(), figures()];
  reads[0]?.resolve(1);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  clock.advance(4_999);
  expect(await figures()).toBe(1);
  expect(reads).toHaveLength(1);
});

it("are not waited for longer than a second, and shown for thirty while they cannot be read", async () => {
  const { clock, reads, figures } = fixture();
  const first = figures();
  reads[0]?.resolve(1);
  await first;
  clock.advance(20_000);
  const later = figures();
  clock.advance(1_000);
  expect(await later).toBe(1);
  clock.advance(10_000);
  const late = figures();
  clock.advance(1_000);
  expect(await late).toBeUndefined();
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(2);
  expect(await figures()).toBe(2);
});
