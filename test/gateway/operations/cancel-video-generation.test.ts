import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { errorOf, headersOf, startHarness } from "../harness.ts";
import type { Behind, Harness } from "../harness.ts";

let harness: Harness;
let key: { accountId: string; secret: string };
let behind: Behind;

beforeAll(async () => {
  harness = await startHarness();
  key = await harness.newKey();
  behind = { ...harness.behind };
});
beforeEach(() => {
  Object.assign(harness.behind, behind);
  harness.calls.length = 0;
});
afterAll(() => harness[Symbol.asyncDispose]());

const cancel = (id: string, init: RequestInit = {}) =>
  harness.send(`/v1/videos/generations/${id}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.secret}` },
    ...init,
  });

describe("POST /v1/videos/generations/{id}/cancel", () => {
  it("answers 200 with the canceled generation, without a body or a Content-Type", async () => {
    const generationId = randomId("vgen");
    const response = await cancel(generationId);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: generationId,
      status: "canceled",
      credits: 0,
    });
    expect(harness.calls.at(-1)).toMatchObject({
      method: "cancelVideo",
      request: { accountId: key.accountId, mode: Mode.TEST, generationId },
    });
  });

  it("does not look at a body, whatever it is and says it is", async () => {
    for (const type of ["text/plain", "application/json", ";", "application/xml"]) {
      const headers = { ...headersOf(key.secret), "content-type": type };
      for (const body of ["{", "x".repeat(1_000_000)]) {
        const response = await cancel(randomId("vgen"), { headers, body });
        expect([type, response.status]).toEqual([type, 200]);
      }
    }
  });

  it.each([
    [ErrorReason.NOT_CANCELABLE, "not_cancelable"],
    [ErrorReason.ALREADY_FINISHED, "already_finished"],
  ])("answers 409 where it goes on or has ended: %s", async (reason, code) => {
    harness.behind.cancelVideo = () => {
      throw refusal({ reason, message: "It goes on." });
    };
    const response = await cancel(randomId("vgen"));
    expect(response.status).toBe(409);
    expect(await errorOf(response)).toMatchObject({ type: "conflict_error", code });
  });

  it("answers 404 for what is not the caller's, malformed ids included", async () => {
    harness.behind.cancelVideo = () => {
      throw refusal({ reason: ErrorReason.NOT_FOUND, message: "not there" });
    };
    for (const id of [randomId("vgen"), randomId("igen"), "nope", "%00", "a%2Fb"]) {
      const response = await cancel(id);
      expect([id, response.status]).toEqual([id, 404]);
      expect((await errorOf(response)).code).toBe("generation_not_found");
    }
    expect(harness.calls).toHaveLength(1);
  });
});
