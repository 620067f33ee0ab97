/** StoreOutput: what it copies, what a repeated call does, and how its errors differ. */
import { readdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { markExpired } from "../../../services/delivery/maintenance/maintenance.ts";
import { newAccountId } from "../../support/account.ts";
import { startHttp } from "../../support/http-server.ts";
import { MediaError } from "../../../services/delivery/media/inspect.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { copierFixture, file, inline, later, status, type Reply } from "./store-output-fixture.ts";
import { patientDecoder } from "../media/media-fixture.ts";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { MARK } from "../../../services/delivery/media/provenance.ts";

const { SOURCE_GONE, UNAVAILABLE, UNREADABLE_FILE } = ErrorReason;
const decoder = patientDecoder();
afterAll(() => decoder[Symbol.asyncDispose]());
const fixture = copierFixture({ header: decoder.header });

describe("a video", () => {
  it("is stored with a thumbnail under unguessable keys, described by its own bytes", async () => {
    const request = fixture.request("/a");
    const { output } = await fixture.call(request);
    const key = expect.stringMatching(/^[0-9a-z]{26}\.mp4$/) as string;
    const bytes = BigInt(fixture.video.byteLength);
    const seen = { key, contentType: "video/mp4", width: 320, height: 180, bytes };
    expect(output).toMatchObject([seen]);
    const [stored] = output;
    expect(stored?.duration).toBeCloseTo(2, 1);
    expect(stored?.thumbnailKey).toBe(stored?.key.replace(".mp4", ".jpg"));
    const stores = async (key = "") => (await fixture.files.head(key))?.bytes;
    expect(await stores(stored?.key)).toBe(fixture.video.byteLength);
    expect(await stores(stored?.thumbnailKey)).toBeGreaterThan(0);
    const [row] = await fixture.sql`
      select sha256, bytes from delivery.assets where owner_id = ${request.generationId}`;
    expect(row).toMatchObject({ bytes });
    expect(row?.["sha256"]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(fixture.copyDirectory)).toEqual([]);
  });

  it("in the upstream's answer is stored with a thumbnail too", async () => {
    const request = { ...fixture.request(), sources: [inline(fixture.video)] };
    const { output } = await fixture.call(request);
    expect(output).toMatchObject([{ contentType: "video/mp4", width: 320, height: 180 }]);
    const [{ key, thumbnailKey } = {}] = output;
    expect(await fixture.objects()).toEqual([thumbnailKey, key]);
  });

  it("of test mode is marked for deletion after seven days, and one of live mode is kept", async () => {
    const [live, test] = [fixture.request("/a"), { ...fixture.request("/a"), mode: Mode.TEST }];
    for (const request of [live, test]) await fixture.call(request);
    const marked = async () => {
      await markExpired(fixture);
      const rows = await fixture.sql<{ ownerId: string }[]>`
        select owner_id from delivery.assets
        where owner_id in (${live.generationId}, ${test.generationId}) and delete_at is not null`;
      return rows.map(({ ownerId }) => ownerId);
    };
    fixture.clock.advance(7 * 24 * 3_600_000 - 1);
    expect(await marked()).toEqual([]);
    fixture.clock.advance(1);
    expect(await marked()).toEqual([test.generationId]);
  });

  it("is not fetched again by a repeated call, which replies the same even if the source is gone", async () => {
    const request = fixture.request("/a");
    const first = await fixture.call(request);
    fixture.upstream.replies.clear();
    expect(await fixture.call(request)).toEqual(first);
    expect(fixture.upstream.requested).toEqual(["/a"]);
  });

  it("is stored as one object although a call failed after the upload and two more come at once", async () => {
    const request = fixture.request("/a");
    fixture.failing.puts = 1;
    expect(await fixture.refusalOf(request)).toBe(UNAVAILABLE);
    const [one, two] = await Promise.all([fixture.call(request), fixture.call(request)]);
    expect(one).toEqual(two);
    expect(fixture.upstream.requested).toEqual(["/a", "/a"]);
    const [output] = one.output;
    const keys = new Set([output?.key, output?.thumbnailKey]);
    expect(new Set(await fixture.objects())).toEqual(keys);
  });
});

describe("a thumbnail", () => {
  const JPEG = Buffer.from("a JPEG");

  /** A decode that lasts until `finish`, of a video that is copied. */
  async function decoding() {
    const begun = Promise.withResolvers<void>();
    const decoded = Promise.withResolvers<Uint8Array | undefined>();
    fixture.decoder.thumbnail = () => {
      begun.resolve();
      return decoded.promise;
    };
    const request = fixture.request("/a");
    const answer = fixture.call(request);
    await begun.promise;
    return { request, answer, finish: decoded.resolve };
  }

  it("is tried when the copy is recorded: what happens to it is not the video's loss", async () => {
    const { request, answer, finish } = await decoding();
    const found = await fixture.rpc.findOutput(request);
    expect(found).toMatchObject({ output: [{ contentType: "video/mp4" }], missing: 0 });
    finish(JPEG);
    const { output } = await answer;
    expect(output[0]?.thumbnailKey).toBe(output[0]?.key.replace(".mp4", ".jpg"));
  });

  it("that cannot be made leaves a stored video without one", async () => {
    const { answer, finish } = await decoding();
    finish(undefined);
    const { output } = await answer;
    expect(output).toMatchObject([{ contentType: "video/mp4" }]);
    expect(output[0]?.thumbnailKey).toBeUndefined();
    expect(await fixture.objects()).toEqual([output[0]?.key]);
  });

  it("is not kept if the video was deleted meanwhile", async () => {
    const { request, answer, finish } = await decoding();
    await fixture.sql`
      update delivery.assets set delete_at = now() where owner_id = ${request.generationId}`;
    finish(JPEG);
    const { output } = await answer;
    expect(output[0]?.thumbnailKey).toBeUndefined();
    expect(await fixture.objects()).toEqual([output[0]?.key]);
  });
});

it("the headers of a source are sent to its own origin, but not to other origins that it redirects to, nor when these lead back", async () => {
  const seen: [string, unknown][] = [];
  const note = ({ headers }: IncomingMessage, name: string): void => {
    seen.push([name, headers["x-upstream-key"]]);
  };
  await using foreign = await startHttp((request, response) => {
    note(request, "foreign");
    response.writeHead(302, { location: `${own.url}/back` }).end();
  });
  await using own = await startHttp((request, response) => {
    note(request, request.url ?? "");
    const location = request.url === "/a" ? "/moved" : foreign.url;
    if (request.url === "/back") response.end(fixture.video);
    else response.writeHead(302, { location }).end();
  });
  const source = {
    from: { case: "url" as const, value: `${own.url}/a` },
    configuredOrigin: true,
    headers: { "x-upstream-key": "secret" },
  };
  fixture.allowLoopback();
  const { output } = await fixture.call({ ...fixture.request(), sources: [source] });
  expect(output).toHaveLength(1);
  expect(seen).toEqual([
    ["/a", "secret"],
    ["/moved", "secret"],
    ["foreign", undefined],
    ["/back", undefined],
  ]);
});

describe("several sources", () => {
  it("are returned in their order, and only missing ones are fetched again", async () => {
    const other = await makeVideo({ width: 160, height: 90 });
    fixture.upstream.replies.set("/c", file(other));
    const request = fixture.request("/a", "/b", "/c");
    expect(await fixture.refusalOf(request)).toBe(UNAVAILABLE);
    fixture.upstream.replies.set("/b", file(other));
    const { output } = await fixture.call(request);
    expect(output.map(({ width }) => width)).toEqual([320, 160, 160]);
    expect(fixture.upstream.requested.toSorted()).toEqual(["/a", "/b", "/b", "/c"]);
  });

  it.each([
    ["gone", status(404), SOURCE_GONE],
    ["broken", file(Buffer.from("<html>")), UNREADABLE_FILE],
  ])(
    "are stored without one that is %s, and refused if all are that or gone",
    async (_, b, reason) => {
      fixture.upstream.replies.set("/b", b).set("/c", status(410));
      const request = fixture.request("/b", "/a");
      const { output } = await fixture.call(request);
      expect(output.map(({ width }) => width)).toEqual([320]);
      expect((await fixture.call(request)).output).toEqual(output);
      expect(await fixture.refusalOf(fixture.request("/b", "/c"))).toBe(reason);
    },
  );
});

describe("an image sent inline", () => {
  it("is stored without a duration, and names a thumbnail that is made when it is asked for", async () => {
    const content = makeImage("webp", 64, 48);
    const { output } = await fixture.call(fixture.image(content));
    expect(output).toMatchObject([
      { contentType: "image/webp", width: 64, height: 48, bytes: BigInt(content.byteLength) },
    ]);
    const { key = "", thumbnailKey = "", duration } = output[0] ?? {};
    expect(thumbnailKey).toBe(key.replace(".webp", ".thumbnail.webp"));
    expect(await fixture.files.head(thumbnailKey)).toBeUndefined();
    expect(duration).toBeUndefined();
  });

  it("is stored and read by account, also where two accounts name one generation id", async () => {
    const generationId = randomId("igen");
    const widthFor = async (accountId: string, width: number) => {
      const request = { ...fixture.image(makeImage("png", width, 48)), accountId, generationId };
      return (await fixture.call(request)).output.map((one) => one.width);
    };
    const [own, other] = [newAccountId(), newAccountId()];
    expect(await widthFor(own, 64)).toEqual([64]);
    const ofOther = await fixture.rpc.findOutput({ accountId: other, generationId });
    expect(ofOther).toMatchObject({ output: [], missing: 0 });
    expect(await widthFor(other, 32)).toEqual([32]);
  });
});

describe("a source that cannot be stored", () => {
  const half = () => fixture.video.subarray(0, fixture.video.length / 2);
  const unannounced: Reply = (response) => {
    response.write(half());
    response.end();
  };
  const noVideo = () => {
    const broken = Buffer.from(fixture.video);
    return broken.fill(0xff, broken.indexOf("moov") + 4, broken.indexOf("moov") + 200);
  };
  it.each<[string, () => Reply, ErrorReason]>([
    ["answers 404", () => status(404), SOURCE_GONE],
    ["answers 503", () => status(503), UNAVAILABLE],
    ["ends early, of unknown length", () => unannounced, UNAVAILABLE],
    ["is half a file", () => file(half()), UNREADABLE_FILE],
    ["is an error page", () => file(Buffer.from("<html>")), UNREADABLE_FILE],
    ["is an image", () => file(makeImage("png")), UNREADABLE_FILE],
    ["is no video within", () => file(noVideo()), UNREADABLE_FILE],
  ])(
    "because it %s leaves nothing behind and is refused with its reason",
    async (_, reply, reason) => {
      fixture.upstream.replies.set("/a", reply());
      expect(await fixture.refusalOf(fixture.request("/a"))).toBe(reason);
      expect(await readdir(fixture.copyDirectory)).toEqual([]);
      expect(await fixture.objects()).toEqual([]);
    },
  );

  it("because its header was not read in time may be tried again", async () => {
    fixture.decoder.header = () => Promise.reject(new MediaError("unfinished", "not in time"));
    expect(await fixture.refusalOf(fixture.request("/a"))).toBe(UNAVAILABLE);
  });

  it("because its origin is private and not configured is never called", async () => {
    const value = `${fixture.serverUrl}/a`;
    const request = { ...fixture.request(), sources: [{ from: { case: "url" as const, value } }] };
    expect(await fixture.refusalOf(request)).toBe(UNAVAILABLE);
    expect(fixture.upstream.requested).toEqual([]);
  });

  it("because its content is no whole image leaves nothing behind and is refused", async () => {
    for (const value of [Buffer.from("<html>"), makeImage("png").subarray(0, 60), fixture.video]) {
      expect(await fixture.refusalOf(fixture.image(value))).toBe(UNREADABLE_FILE);
    }
    expect(await fixture.objects()).toEqual([]);
  });
});

it("a caller that lost the answer learns whether the copy of an output may still run", async () => {
  const answer = Promise.withResolvers<void>();
  fixture.upstream.replies.set("/a", later(answer.promise, status(503)));
  const request = fixture.request("/a");
  const refused = fixture.refusalOf(request);
  await expect.poll(() => fixture.upstream.requested).toHaveLength(1);
  expect(await fixture.rpc.findOutput(request)).toMatchObject({ missing: 1, copying: 1 });
  fixture.clock.advance(60_000);
  expect(await fixture.rpc.findOutput(request)).toMatchObject({ missing: 1, copying: 0 });
  answer.resolve();
  await refused;
});

describe("a mark of AI-generated content", () => {
  const embed = (request: Parameters<typeof fixture.call>[0]) =>
    fixture.replicaWith(fixture.files, "embed").storeOutput(request);
  async function object(key = ""): Promise<Buffer> {
    const found = await fixture.files.get(key);
    return found ? buffer(found) : Buffer.alloc(0);
  }

  it("a video without a mark is stored with one, as is its thumbnail, and described as it is stored", async () => {
    const request = fixture.request("/a");
    const { output } = await embed(request);
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
    expect((await fixture.rpc.findOutput(request)).output).toEqual(output);
  });

  it("an image in the upstream's answer is stored with a mark", async () => {
    const { output } = await embed(fixture.image(makeImage("png")));
    const bytes = await object(output[0]?.key);
    expect(output).toMatchObject([{ provenance: "iptc", bytes: BigInt(bytes.byteLength) }]);
    expect(bytes.includes(MARK)).toBe(true);
  });

  it("nothing is changed where the operator only detects, and where there is a mark already", async () => {
    const detected = (await fixture.call(fixture.request("/a"))).output[0];
    expect(detected?.provenance).toBe("none");
    expect((await object(detected?.key)).equals(fixture.video)).toBe(true);
    expect((await object(detected?.thumbnailKey)).includes(MARK)).toBe(false);

    const box = Buffer.from("\0\0\0\x18uuid", "latin1");
    const id = Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex");
    const signed = Buffer.concat([fixture.video, box, id]);
    fixture.upstream.replies.set("/signed", file(signed));
    const kept = (await embed(fixture.request("/signed"))).output[0];
    expect(kept?.provenance).toBe("c2pa");
    expect((await object(kept?.key)).equals(signed)).toBe(true);
    expect((await object(kept?.thumbnailKey)).includes(MARK)).toBe(true);
  });
});
