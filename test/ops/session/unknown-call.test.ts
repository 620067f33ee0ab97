/** An ops that is newer than a service says so, instead of that an address was not found. */
import { Gauge, Registry } from "prom-client";
import { expect, it } from "vitest";
import { VERSION } from "#runtime/version.ts";
import { openSession } from "../../../services/ops/session/session.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";

const releasedAs = (version: string) => {
  const metrics = new Registry();
  const labelNames = ["service", "version"] as const;
  new Gauge({ name: "media_build_info", help: "release", labelNames, registers: [metrics] }).set(
    { service: "billing", version },
    1,
  );
  return { metrics };
};

it("names both releases and what to do where a service does not know a call", async () => {
  await using old = await opsEndpoints(() => {}, releasedAs("0.0.9"));
  using session = openSession(old.env);
  const call = session.billing.listOpenHolds({});
  await expect(call).rejects.toThrow(
    `billing does not know the call ListOpenHolds: it runs release 0.0.9, this ops is of release ${VERSION}. ` +
      "Use the ops of the release that billing runs, or replace its replicas first",
  );
});

it("says so too where the service does not tell its release", async () => {
  await using old = await opsEndpoints(() => {});
  using session = openSession(old.env);
  const call = session.billing.listOpenHolds({});
  await expect(call).rejects.toThrow("it runs a release that it does not tell, this ops is of");
});

it("doubts the address where the service is of the same release", async () => {
  await using other = await opsEndpoints(() => {}, releasedAs(VERSION));
  using session = openSession(other.env);
  const call = session.billing.listOpenHolds({});
  await expect(call).rejects.toThrow("look whether OPS_ENDPOINTS_FILE has another service's");
});
