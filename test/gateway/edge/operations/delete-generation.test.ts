/** deleteVideoGeneration, deleteImageGeneration, and what reads answer afterwards. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { image, video, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const harness = useHarness();

const send = (path: string, method = "DELETE") =>
  harness.send(`/v1${path}`, { method, headers: headersOf(harness.key.secret) });
const refuseReads = () => {
  harness.backends.getGeneration = refusing("GENERATION_DELETED", "internal words");
};

describe.each([
  ["videos", "vgen", Kind.VIDEO, video],
  ["images", "igen", Kind.IMAGE, image],
] as const)("DELETE /v1/%s/generations/{id}", (name, prefix, kind, made) => {
  const path = `/${name}/generations`;

  it("returns 204 each time, and reads return 410 from then on", async () => {
    const generationId = randomId(prefix);
    harness.backends.getGeneration = () => ({
      generation: made({ id: generationId, status: Status.SUCCESS }),
    });
    for (let i = 0; i < 2; i++) {
      expect((await send(`${path}/${generationId}`, "GET")).status).toBe(200);
    }
    for (let i = 0; i < 2; i++) {
      const response = await send(`${path}/${generationId}`);
      expect([response.status, await response.text()]).toEqual([204, ""]);
    }
    expect(harness.calls.at(-1)).toMatchObject({
      method: "deleteGeneration",
      request: { accountId: harness.key.accountId, mode: Mode.TEST, kind, generationId },
    });
    refuseReads();
    const response = await send(`${path}/${generationId}`, "GET");
    expect(response.status).toBe(410);
    expect(await errorOf(response)).toMatchObject({
      type: "not_found_error",
      code: "gone",
      message: expect.stringContaining("was deleted") as string,
    });
  });
});
