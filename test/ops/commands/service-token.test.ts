/** `ops service-token` issues only tokens that some service accepts. */
import { expect, it } from "vitest";
import { serviceTokenCommand } from "../../../services/ops/commands/setup.ts";
import { SERVICES } from "../../../services/ops/setup/provision.ts";

const issue = (caller: string) =>
  serviceTokenCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(["--caller", caller, "--service", "billing"], { from: "user" });

it.each(SERVICES)("refuses the caller %s, who signs with its own key", async (service) => {
  await expect(issue(service)).rejects.toThrow(/own keys/);
});

it("takes the name of a team", async () => {
  // It goes on to the operator's configuration, which this test has not.
  await expect(issue("billing-reports")).rejects.toThrow("configuration");
});
