/** How many copies run at once, and what becomes of the files of those that a crash cut off. */
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { concurrencyLimit } from "../../../services/delivery/copy/concurrency-limit.ts";
import { sweepLeftovers } from "../../../services/delivery/copy/sweep-leftovers.ts";

describe("the limit of copies", () => {
  it("lets only so many run at once, the others in order, and survives failures", async () => {
    const limit = concurrencyLimit(2);
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const all = gates.map((gate, index) =>
      limit(async () => {
        begun.push(index);
        await gate.promise;
      }).catch(() => undefined),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    gates[1]?.reject(new Error("failed"));
    await all[1];
    expect(begun).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("the sweep of temporary files", () => {
  it("removes old temporary files and leaves those that may be in use", async () => {
    const copies = await mkdtemp(join(tmpdir(), "copies-"));
    const old = join(copies, "old.part");
    await writeFile(old, "half");
    await writeFile(join(copies, "young.part"), "half");
    const now = new Date();
    const anHourAgo = new Date(now.getTime() - 3_600_000);
    await utimes(old, anHourAgo, anHourAgo);
    await sweepLeftovers(copies, new Date(now.getTime() - 600_000));
    expect(await readdir(copies)).toEqual(["young.part"]);
    await rm(copies, { recursive: true });
    await expect(sweepLeftovers(join(copies, "none"), now)).resolves.toBeUndefined();
  });
});
