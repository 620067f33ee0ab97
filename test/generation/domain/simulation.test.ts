/** What test mode takes as `metadata.simulate`. */
import { describe, expect, it } from "vitest";
import { simulationFaults } from "../../../services/generation/domain/simulation.ts";

const SIX = [
  "content_rejected",
  "invalid_input",
  "upstream_failed",
  "upstream_timeout",
  "expired",
  "internal",
];

describe("metadata.simulate", () => {
  it.each(["success", "hang", "slow:0", "slow:2.5", ...SIX.map((code) => `fail:${code}`)])(
    "takes %s",
    (simulate) => expect(simulationFaults("test", { simulate })).toEqual([]),
  );

  it.each(["", "nonsense", "Success", "fail:", "fail:bogus", "slow:", "slow:-1", "slow:1e9"])(
    "refuses %j in test mode, naming the field and what is allowed",
    (simulate) => {
      const [fault, ...more] = simulationFaults("test", { simulate });
      expect(more).toEqual([]);
      expect(fault?.field).toBe("metadata.simulate");
      expect(fault?.message).toContain("fail:content_rejected");
      expect(simulationFaults("live", { simulate })).toEqual([]);
    },
  );

  it("may be absent", () => expect(simulationFaults("test", { note: "nonsense" })).toEqual([]));
});
