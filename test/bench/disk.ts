/** How long the disk takes: what a commit waits for, whatever the processor does. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { percentiles } from "./measure.ts";

/** A page of Postgres' log. */
const PAGE = Buffer.alloc(8_192, 1);
const WRITES = 200;

/** The median and the 90th percentile of writing a page and waiting until it is on the disk, in milliseconds. */
export async function syncedWriteMs(folder: string): Promise<{ p50: number; p90: number }> {
  await using file = await open(join(folder, "synced-writes"), "w");
  await file.write(Buffer.alloc(WRITES * PAGE.length));
  await file.sync();
  const times: number[] = [];
  for (let index = 0; index < WRITES; index += 1) {
    const begin = performance.now();
    await file.write(PAGE, 0, PAGE.length, index * PAGE.length);
    await file.datasync();
    times.push(performance.now() - begin);
  }
  const [p50 = 0, p90 = 0] = percentiles(times, [0.5, 0.9]);
  return { p50, p90 };
}
