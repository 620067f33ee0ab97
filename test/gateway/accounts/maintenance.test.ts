/** The gateway's periodic jobs. */
import { describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { startMaintenance } from "../../../services/gateway/accounts/maintenance.ts";
import { manualClock } from "../../support/manual-clock.ts";

describe("the gateway's maintenance", () => {
  it("records the last key uses and requests when it is disposed, even if that fails", async () => {
    const flushed: string[] = [];
    const flush = (what: string) => () => {
      flushed.push(what);
      return Promise.reject(new Error("database unavailable"));
    };
    const maintenance = startMaintenance({
      sql: undefined as unknown as Sql,
      clock: manualClock(),
      newId: randomId,
      log: createLog("gateway", "silent"),
      keyUses: { record: () => {}, flush: flush("key uses") },
      requestLog: { flush: async () => void flushed.push("requests") },
      requestLogDays: 30,
    });
    expect(flushed).toEqual([]);
    await maintenance[Symbol.asyncDispose]();
    expect(flushed.toSorted()).toEqual(["key uses", "requests"]);
  });
});
