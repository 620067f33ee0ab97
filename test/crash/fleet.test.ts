/**
 * The fleet of compose.yaml on fire: two of everything, random faults under load, then an audit. It takes all
 * of a small machine for minutes, so it runs with TEST_SIZE=long, and by `npm run test:fire`.
 */
import { randomInt } from "node:crypto";
import { runFire } from "./fleet/fire.ts";
import { isLong } from "../support/test-size.ts";

const SECONDS = 300;

it.runIf(isLong)(
  `a fleet loses and doubles nothing in ${SECONDS} s of fire`,
  async () => {
    const lines: string[] = [];
    const wrong = await runFire({
      seed: randomInt(1_000_000),
      seconds: SECONDS,
      say: (line) => void lines.push(line),
    });
    if (wrong.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
    expect(wrong).toEqual([]);
  },
  SECONDS * 1_000 + 300_000,
);
