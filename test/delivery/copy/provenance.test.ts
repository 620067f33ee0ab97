/** Marks of AI-generated content on the way through a copy: in the object, its row, its thumbnail and the reply. */
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { beforeEach, expect, it } from "vitest";
import { MARK } from "../../../services/delivery/media/provenance.ts";
import { makeImage } from "../../support/make-media.ts";
import { file, copierFixture } from "./store-output-fixture.ts";

const fixture = copierFixture();

beforeEach(async () => {
  fixture.settings.provenance = "embed";
});

async function object(key = ""): Promise<Buffer> {
  const found = await fixture.files.get(key);
  return found ? buffer(found.stream) : Buffer.alloc(0);
}

it("a video without a mark is stored with one, as is its thumbnail, and described as it is stored", async () => {
  const request = fixture.request("/a");
  const { output } = await fixture.call(request);
  const [stored] = output;
  const bytes = await object(stored?.key);
  expect(stored).toMatchObject({ provenance: "iptc", bytes: BigInt(bytes.byteLength) });
  expect(bytes.subarray(0, fixture.video.byteLength).equals(fixture.video)).toBe(true);
  expect(bytes.subarray(fixture.video.byteLength).includes(MARK)).toBe(true);
  expect((await object(stored?.thumbnailKey)).includes(MARK)).toBe(true);
  const rows = await fixture.sql`
    select provenance, bytes, sha256 from delivery.assets where owner_id = ${request.generationId}`;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(rows).toMatchObject([{ provenance: "iptc", bytes: BigInt(bytes.byteLength), sha256 }]);
  const { accountId, generationId } = request;
  expect((await fixture.rpc.findOutput({ accountId, generationId })).output).toEqual(output);
});

it("a repeated copy after a failure stores the same bytes", async () => {
  const request = fixture.request("/a");
  fixture.failing.puts = 1;
  const before: Buffer[] = [];
  fixture.afterPut(async () => {
    for (const key of await fixture.objects()) before.push(await object(key));
  });
  await fixture.refusalOf(request);
  const { output } = await fixture.call(request);
  expect((await object(output[0]?.key)).equals(before[0] ?? Buffer.alloc(0))).toBe(true);
});

it("an image in the upstream's answer is stored with a mark", async () => {
  const { output } = await fixture.call(fixture.image(makeImage("png")));
  const bytes = await object(output[0]?.key);
  expect(output).toMatchObject([{ provenance: "iptc", bytes: BigInt(bytes.byteLength) }]);
  expect(bytes.includes(MARK)).toBe(true);
});

it("nothing is changed where the operator only detects, and where there is a mark already", async () => {
  fixture.settings.provenance = "detect";
  const detected = (await fixture.call(fixture.request("/a"))).output[0];
  expect(detected?.provenance).toBe("none");
  expect((await object(detected?.key)).equals(fixture.video)).toBe(true);
  expect((await object(detected?.thumbnailKey)).includes(MARK)).toBe(false);

  fixture.settings.provenance = "embed";
  const id = Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex");
  const signed = Buffer.concat([
    fixture.video,
    Buffer.from([0, 0, 0, 24]),
    Buffer.from("uuid"),
    id,
  ]);
  fixture.upstream.replies.set("/signed", file(signed));
  const kept = (await fixture.call(fixture.request("/signed"))).output[0];
  expect(kept?.provenance).toBe("c2pa");
  expect((await object(kept?.key)).equals(signed)).toBe(true);
  expect((await object(kept?.thumbnailKey)).includes(MARK)).toBe(true);
});
