/** The memory that copies take; at TEST_SIZE=long only, for the minute it lasts. */
import { expect, it } from "vitest";
import { runToEnd } from "../../support/process.ts";

const isLong = process.env["TEST_SIZE"] === "long";

it.runIf(isLong)(
  "is at most 400 MB for 64 copies of 50 MB asked for at once, 32 of them running",
  async () => {
    const sizes = ["--copies", "64", "--megabytes", "50", "--running", "32"];
    const args = ["assets", ...sizes, "--max-megabytes", "400"];
    const { code, output } = await runToEnd("test/bench/main.ts", {}, args);
    if (code !== 0) throw new Error(output);
    expect(output).toContain("files left 0");
  },
  300_000,
);
