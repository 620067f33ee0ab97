/** The gateway's periodic jobs. */
import { describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { startMaintenance } from "../../../services/gateway/accounts/maintenance.ts";
import { manualClock } from "../../support/manual-clock.ts";

describe("the gateway's maintenance", () => {
  it("records the last key uses when it is disposed, even if that fails", async () => {
    let flushes = 0;
    const flush = () => {
      flushes += 1;
      return Promise.reject(new Error("database unavailable"));
    };
    const maintenance = startMaintenance({
      sql: undefined as unknown as Sql,
      clock: manualClock(),
      newId: randomId,
      log: createLog("gateway", "silent"),
      keyUses: { record: () => {}, flush },
    });
    expect(flushes).toBe(0);
    await maintenance[Symbol.asyncDispose]();
    expect(flushes).toBe(1);
  });
});
