/** Temporary files of copies that a crash interrupted. */
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sweepLeftovers } from "../../../services/delivery/copy/sweep-leftovers.ts";

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
