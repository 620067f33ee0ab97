/** `npm run test:fire -- --seconds N --seed S`: a fire of any length. */
import { parseArgs } from "node:util";
import { randomInt } from "node:crypto";
import { runFire } from "./fire.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "300" },
    seed: { type: "string" },
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const wrong = await runFire({
  seed: Number(values.seed ?? randomInt(1_000_000)),
  seconds: Number(values.seconds),
  say: (line) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`),
});
for (const line of wrong) process.stdout.write(`WRONG  ${line}\n`);
process.stdout.write(
  wrong.length === 0 ? "nothing is wrong\n" : `${wrong.length} things are wrong\n`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
