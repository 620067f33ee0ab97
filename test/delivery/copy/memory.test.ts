/** The memory that copies use. It takes a minute, so it runs with TEST_SIZE=long only. */
import { describe, expect, it } from "vitest";
import { runToEnd } from "../../support/process.ts";
import { isLong } from "../../support/test-size.ts";

describe("the memory of the service", () => {
  it.runIf(isLong)(
    "stays below 400 MB with 64 copies of 50 MB requested at once and 32 running",
    async () => {
      const sizes = ["--copies", "64", "--megabytes", "50", "--running", "32"];
      const args = ["assets", ...sizes, "--max-megabytes", "400"];
      const { code, output } = await runToEnd("test/bench/main.ts", {}, args);
      if (code !== 0) throw new Error(output);
      expect(output).toContain("files left 0");
    },
    300_000,
  );
});
