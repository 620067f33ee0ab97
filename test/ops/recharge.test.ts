/** `ops recharge`: a command that is repeated by mistake must not credit twice unnoticed. */
import { describe, expect, it } from "vitest";
import { runOps } from "../../services/ops/program.ts";
import { newAccountId } from "../support/account.ts";

describe("a recharge", () => {
  const run = (...options: string[]) =>
    runOps(["recharge", "--account", newAccountId(), "--tokens", "5", ...options], "ops");

  it("asks for a reference", async () => {
    await expect(run()).rejects.toThrow("--no-reference");
    await expect(run("--reference", "")).rejects.toThrow("--no-reference");
  });

  it.each([[["--reference", "invoice 1"]], [["--no-reference"]]])("is sent with %j", async (it) => {
    // It goes on to the operator's configuration, which this test has not.
    await expect(run(...it)).rejects.toThrow("configuration");
  });
});
