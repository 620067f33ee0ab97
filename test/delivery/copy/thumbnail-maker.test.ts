/** The thumbnail of an image: made when it is first asked for, and only then. */
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { thumbnailMaker } from "../../../services/delivery/copy/thumbnail-maker.ts";
import { imageThumbnailKey } from "../../../services/delivery/domain/file.ts";
import { MARK } from "../../../services/delivery/media/provenance.ts";
import { markOwnedForDeletion } from "../../../services/delivery/store/asset-deletions.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { makeImage } from "../../support/make-media.ts";
import { memoryStore } from "../memory-store.ts";
import { recordAsset, reserveAsset } from "../store-asset.ts";

const AT = new Date();
const database = await connectedDatabase("delivery");
afterAll(() => database[Symbol.asyncDispose]());
const { sql } = database;
const store = memoryStore();

/** `picture` is what the decoder makes of each image; `decodes` counts how often it is asked. */
function makerOf(picture: Uint8Array | "undecodable" | "unfinished") {
  const decodes = { count: 0 };
  const imageThumbnail = async () => {
    decodes.count += 1;
    return picture;
  };
  const logged: string[] = [];
  const log = createLog("test", "info", { write: (line) => void logged.push(line) });
  const deps = { sql, log, store, decoder: { imageThumbnail } };
  return { make: thumbnailMaker({ ...deps, provenance: "embed" }), decodes, logged };
}

/** A stored image without the object of its thumbnail. */
async function newImage() {
  const of = { accountId: newAccountId(), generationId: randomId("igen") };
  const token = await reserveAsset(sql, of, AT);
  const key = `${token}.png`;
  await store.put(key, [Buffer.from("image")]);
  const thumbnailKey = imageThumbnailKey(token);
  await recordAsset(sql, { token, key, thumbnailKey, contentType: "image/png", at: AT });
  return { ...of, key, thumbnailKey };
}

it("carries the mark of AI-generated content", async () => {
  const { thumbnailKey } = await newImage();
  const { make } = makerOf(makeImage("webp"));
  expect(await make(thumbnailKey)).toBe("stored");
  expect(store.objects.get(thumbnailKey)?.includes(MARK)).toBe(true);
});

it("is stored and counted once, however many ask for it at the same time", async () => {
  const { thumbnailKey, accountId } = await newImage();
  const { make, decodes } = makerOf(Buffer.from("tiny"));
  expect(await Promise.all([make(thumbnailKey), make(thumbnailKey)])).toEqual(["stored", "stored"]);
  expect(decodes.count).toBe(1);
  expect(await store.head(thumbnailKey)).toEqual({ bytes: 4 });
  const rows = await sql`
    select thumbnail_bytes as bytes from delivery.assets where account_id = ${accountId}`;
  expect(rows).toEqual([{ bytes: 4n }]);
});

it("is not tried again soon for an image that cannot be decoded, which the log says once", async () => {
  const { key, thumbnailKey } = await newImage();
  const { make, decodes, logged } = makerOf("undecodable");
  expect([await make(thumbnailKey), await make(thumbnailKey)]).toEqual(["absent", "absent"]);
  expect(decodes.count).toBe(1);
  expect(logged).toHaveLength(1);
  expect(await store.head(thumbnailKey)).toBeUndefined();
  await store.delete(key);
  const gone = makerOf("undecodable");
  expect([await gone.make(thumbnailKey), gone.logged]).toEqual(["absent", []]);
});

it("is promised for later when a decode does not end, and given up after three", async () => {
  const { thumbnailKey } = await newImage();
  const { make, decodes } = makerOf("unfinished");
  expect([await make(thumbnailKey), await make(thumbnailKey)]).toEqual(["later", "later"]);
  const other = makerOf(Buffer.from("tiny"));
  expect([await make(thumbnailKey), await make(thumbnailKey)]).toEqual(["absent", "absent"]);
  expect(decodes.count).toBe(3);
  expect(await other.make(thumbnailKey)).toBe("stored");
});

it("is made of no other key, and of no image that is to be deleted", async () => {
  const { make, decodes } = makerOf(Buffer.from("tiny"));
  const { key, thumbnailKey, accountId, generationId: ownerId } = await newImage();
  for (const other of [key, key.replace(".png", ".webp"), imageThumbnailKey("0".repeat(26))]) {
    expect(await make(other)).toBe("absent");
  }
  expect(decodes.count).toBe(0);
  await markOwnedForDeletion(sql, { accountId, ownerId, at: AT });
  expect([await make(thumbnailKey), await make(key)]).toEqual(["deleted", "deleted"]);
  expect(await store.head(thumbnailKey)).toBeUndefined();
});
