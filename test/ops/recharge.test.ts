/** `ops recharge`: a command that is repeated by mistake must not credit twice unnoticed. */
import { describe, expect, it } from "vitest";
import { rechargeCommand } from "../../services/ops/commands/tokens.ts";
import { newAccountId } from "../support/account.ts";

describe("a recharge", () => {
  const run = (...options: string[]) =>
    rechargeCommand().parseAsync(["--account", newAccountId(), "--tokens", "5", ...options], {
      from: "user",
    });

  it("asks for a reference", async () => {
    await expect(run()).rejects.toThrow("--no-reference");
    await expect(run("--reference", "")).rejects.toThrow("--no-reference");
  });

  it.each([[["--reference", "invoice 1"]], [["--no-reference"]]])("is sent with %j", async (it) => {
    // It goes on to the operator's configuration, which this test has not.
    await expect(run(...it)).rejects.toThrow("configuration");
  });
});
