/**
 * The fleet of compose.yaml on fire: two of everything, random faults under load, then an audit. It takes two minutes
 * and all of a small machine, so it runs with TEST_SIZE=long, and by `npm run test:fire`.
 */
import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { runFire } from "./fleet/fire.ts";

const isLong = process.env["TEST_SIZE"] === "long";
/** The seed of the short size draws every kind of fault. */
const SIZE = isLong
  ? {
      seed: randomInt(1_000_000),
      seconds: 300,
      videos: 1_500,
      images: 210,
      pauseMs: [6_000, 45_000],
    }
  : { seed: 282, seconds: 30, videos: 400, images: 60, pauseMs: [4_000, 10_000] };
const [minPauseMs = 0, maxPauseMs = 0] = SIZE.pauseMs;

it.runIf(isLong)(
  `a fleet loses and doubles nothing in ${SIZE.seconds} s of fire`,
  async () => {
    const lines: string[] = [];
    const wrong = await runFire({
      ...SIZE,
      pauseMs: [minPauseMs, maxPauseMs],
      judgesBudgets: isLong,
      say: (line) => void lines.push(line),
    });
    if (wrong.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
    expect(wrong).toEqual([]);
  },
  SIZE.seconds * 1_000 + 300_000,
);
