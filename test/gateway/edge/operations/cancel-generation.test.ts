/** cancelVideoGeneration and cancelImageGeneration. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { useHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const harness = useHarness();

const cancel = (id: string, init: RequestInit = {}) =>
  harness.send(`/v1/videos/generations/${id}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${harness.key.secret}` },
    ...init,
  });

describe("POST /v1/videos/generations/{id}/cancel", () => {
  it("returns 200 with the canceled generation, and needs no body or Content-Type", async () => {
    const generationId = randomId("vgen");
    const response = await cancel(generationId);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: generationId,
      status: "canceled",
      credits: 0,
    });
    expect(harness.calls.at(-1)).toMatchObject({
      method: "cancelGeneration",
      request: {
        accountId: harness.key.accountId,
        mode: Mode.TEST,
        kind: Kind.VIDEO,
        generationId,
      },
    });
  });

  it("is for images under their own path, as for videos", async () => {
    const generationId = randomId("igen");
    const headers = { authorization: `Bearer ${harness.key.secret}` };
    const path = (id: string) => `/v1/images/generations/${id}/cancel`;
    const response = await harness.send(path(generationId), { method: "POST", headers });
    expect(response.status).toBe(200);
    const canceled = { id: generationId, object: "image.generation", status: "canceled" };
    expect(await response.json()).toMatchObject(canceled);
    expect(harness.calls.at(-1)?.request).toMatchObject({ kind: Kind.IMAGE, generationId });
    const other = await harness.send(path(randomId("vgen")), { method: "POST", headers });
    expect(other.status).toBe(404);
  });

  it("ignores any body of any type", async () => {
    for (const type of ["text/plain", "application/json", ";", "application/xml"]) {
      const headers = { ...headersOf(harness.key.secret), "content-type": type };
      for (const body of ["{", "x".repeat(1_000_000)]) {
        const response = await cancel(randomId("vgen"), { headers, body });
        expect([type, response.status]).toEqual([type, 200]);
      }
    }
  });
});
