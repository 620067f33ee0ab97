/** `ops service-token` issues only tokens that some service accepts. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serviceTokenCommand } from "../../../services/ops/commands/service-token.ts";
import { SERVICES } from "../../../services/ops/provision.ts";

const issue = (caller: string) =>
  serviceTokenCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(["--caller", caller, "--service", "billing"], { from: "user" });

beforeEach(() => void vi.stubEnv("DATA_DIR", "/nowhere"));
afterEach(() => void vi.unstubAllEnvs());

it.each(SERVICES)("refuses the caller %s, who signs with its own key", async (service) => {
  await expect(issue(service)).rejects.toThrow(/own keys/);
});

it("takes the name of a team", async () => {
  // It goes on to the operator's configuration, which this test has not.
  await expect(issue("billing-reports")).rejects.toThrow("configuration");
});
