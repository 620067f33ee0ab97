/** Measures what an input costs the event loop, and says where that is too much or grows faster than the input. */

/** One input may hold up all others for this long on a machine as fast as the yardstick. */
const MAX_HOLD_MS = 100;
/** What costs no more than so many copies beside it is as it must be: of files, memory is what costs. */
const MAX_COPIES = 40;
/** Into so many parts an input is cut to see how its cost grows. */
const PARTS = 8;
/** What holds up others at this part of its size would do so for hours at the whole, unless that is short. */
const FIRST_PARTS = 64;
const SHORT = 20_000;
/**
 * The whole may cost so many times what its parts cost that are read one by one: half as much again for each doubling, where
 * what grows with the input costs no more, and what grows with its square twice as much. One part alone would be too short
 * for the processor's clock.
 */
const MAX_GROWTH = 1.5 ** Math.log2(PARTS);
/** Less holds up nobody, and says nothing about growth. */
const NOISE_MS = 20;
/** How often what seems too much is measured again before it is a fault: a garbage collection takes 100 ms by itself. */
const ROUNDS = 11;
const MIN_ROUNDS = 2;

/** What `yardstick` takes on the machine on which the limits were chosen. */
const YARDSTICK_MS = 10;
const YARDSTICK_TEXT = JSON.stringify(Array.from({ length: 80_000 }, (_, index) => [{ a: index }]));

export type Subject<Input extends string | Buffer> = {
  /** A hostile input of about `size` bytes or characters. */
  input: (size: number) => Input;
  /** Reads it; only this is measured. */
  read: (input: Input) => unknown;
};

/**
 * What is wrong with the cost at a size, if anything. The time is this thread's, in parts of what fixed work beside it
 * takes, which is parsing and memory as the input's: no slow machine or other process changes the outcome.
 */
export async function costFault<Input extends string | Buffer>(
  { input, read }: Subject<Input>,
  size: number,
): Promise<string | undefined> {
  const begin = input(size / FIRST_PARTS);
  const readBegin = () => read(begin);
  for (let round = 1; size > SHORT && (await processorMs(readBegin)) > MAX_HOLD_MS; round += 1) {
    if (round === ROUNDS) return `holds the event loop at a ${FIRST_PARTS}th of its size`;
  }
  const whole = input(size);
  const isCheap = async (ms: number) =>
    ms < NOISE_MS || ms <= MAX_COPIES * (await processorMs(() => Buffer.from(whole)));
  if (await isCheap(await processorMs(() => read(whole)))) return undefined;
  const part = input(size / PARTS);
  // Garbage collection and compilation only add to a time, so the least of all rounds is the one to trust.
  let wholeMs = Infinity;
  let partsMs = Infinity;
  let holdMs = Infinity;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const slowness = (await processorMs(yardstick)) / YARDSTICK_MS;
    const ms = await processorMs(() => read(whole));
    if (await isCheap(ms)) return undefined;
    wholeMs = Math.min(wholeMs, ms);
    partsMs = Math.min(partsMs, await processorMs(() => readParts(read, part)));
    holdMs = Math.min(holdMs, ms / slowness);
    const isFine = holdMs <= MAX_HOLD_MS && wholeMs <= MAX_GROWTH * partsMs;
    if (isFine && round >= MIN_ROUNDS) return undefined;
  }
  return holdMs > MAX_HOLD_MS
    ? `holds the event loop for ${Math.round(holdMs)} ms`
    : `costs ${(wholeMs / partsMs).toFixed(1)} times as much as the same in ${PARTS} parts`;
}

async function readParts<Input>(read: (input: Input) => unknown, part: Input): Promise<void> {
  for (let index = 0; index < PARTS; index += 1) await read(part);
}

async function processorMs(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function yardstick(): unknown {
  return JSON.parse(YARDSTICK_TEXT);
}
