/** cancel and delete of both kinds. Their statuses and codes are those of test/contract/openapi/contract.test.ts. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const harness = useHarness();

/** Without a body and its type. */
const send = (method: string, path: string) =>
  harness.send(`/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${harness.key.secret}` },
  });

describe.each([
  ["videos", "vgen", Kind.VIDEO],
  ["images", "igen", Kind.IMAGE],
] as const)("a generation of /v1/%s", (name, prefix, kind) => {
  const generationId = randomId(prefix);
  const path = `/${name}/generations/${generationId}`;
  const request = () => ({ ...harness.key, mode: Mode.TEST, kind, generationId });

  it("is canceled by its account, mode, kind and id", async () => {
    const response = await send("POST", `${path}/cancel`);
    const { secret: _, ...asked } = request();
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { id: generationId, status: "canceled", credits: 0 },
    ]);
    expect(harness.calls).toMatchObject([{ method: "cancelGeneration", request: asked }]);
  });

  it("is deleted each time, and reads are 410 from then on", async () => {
    const { secret: _, ...asked } = request();
    for (let count = 0; count < 2; count++) {
      const response = await send("DELETE", path);
      expect([response.status, await response.text()]).toEqual([204, ""]);
    }
    expect(harness.calls.at(-1)).toMatchObject({ method: "deleteGeneration", request: asked });
    harness.backends.getGeneration = refusing("GENERATION_DELETED", "internal words");
    const response = await send("GET", path);
    expect([response.status, await errorOf(response)]).toMatchObject([
      410,
      { code: "gone", message: expect.stringContaining("was deleted") },
    ]);
  });
});

it("a cancel ignores any body of any type", async () => {
  for (const type of ["text/plain", "application/json", ";", "application/xml"]) {
    const headers = { ...headersOf(harness.key.secret), "content-type": type };
    for (const body of ["{", "x".repeat(1_000_000)]) {
      const path = `/v1/videos/generations/${randomId("vgen")}/cancel`;
      const response = await harness.send(path, { method: "POST", headers, body });
      expect([type, response.status]).toEqual([type, 200]);
    }
  }
});
