/** `npm run test:fire -- --seconds N --seed S`: a fire of any length. */
import { parseArgs } from "node:util";
import { randomInt } from "node:crypto";
import { FAULT_KINDS } from "./chaos-plan.ts";
import { runFire } from "./fire.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "300" },
    seed: { type: "string" },
    videos: { type: "string" },
    images: { type: "string" },
    /** How long a video takes the upstream, in milliseconds; an image takes a quarter of it. */
    pace: { type: "string", default: "2000" },
    logs: { type: "string" },
    /** Separated by commas; all by default. */
    kinds: { type: "string" },
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const seconds = Number(values.seconds);
const wrong = await runFire({
  seed: Number(values.seed ?? randomInt(1_000_000)),
  seconds,
  videos: Number(values.videos ?? 5 * seconds),
  images: Number(values.images ?? Math.round(0.7 * seconds)),
  paceMs: Number(values.pace),
  kinds:
    (values.kinds && FAULT_KINDS.filter((kind) => values.kinds?.split(",").includes(kind))) ||
    undefined,
  logDirectory: values.logs,
  say: (line) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`),
});
for (const line of wrong) process.stdout.write(`WRONG  ${line}\n`);
process.stdout.write(
  wrong.length === 0 ? "nothing is wrong\n" : `${wrong.length} things are wrong\n`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
