/** Marks of AI-generated content: which are found in a file, and how one is written into a file that has none. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import type { Edit } from "../../../services/delivery/media/formats/format.ts";
import {
  inMemory,
  inspectMedia,
  MediaError,
  openFile,
} from "../../../services/delivery/media/inspect.ts";
import {
  edited,
  MARK,
  markedBy,
  type Marked,
} from "../../../services/delivery/media/provenance.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { drawn, mediaFixture } from "./media-fixture.ts";
import { marksOf } from "../../support/marks.ts";
import {
  bytes,
  insert,
  jpegSegment,
  pngChunk,
  uint32,
  uint32le,
  webpWith,
} from "./picture-parts.ts";

const PERL = "/usr/bin/perl";
const EXIFTOOL = resolve("node_modules/exiftool-vendored.pl/bin/exiftool");
const TERMS = "http://cv.iptc.org/newscodes/digitalsourcetype";
const TRAINED = `${TERMS}/trainedAlgorithmicMedia`;
const source = (term: string) => `<ext:DigitalSourceType>${term}</ext:DigitalSourceType>`;
/** What is found in a file that is left as it is. */
const [IPTC, C2PA, UNMARKED] = ["iptc", "c2pa", "none"].map((provenance) => {
  return { provenance, edits: [] };
});

const uuidBox = (id: string, content: Buffer) =>
  Buffer.concat([uint32(24 + content.byteLength), bytes("uuid"), Buffer.from(id, "hex"), content]);

const C2PA_ID = "d8fec3d61b0e483c92975828877ec481";
const XMP_ID = "be7acfcb97a942e89c71999491e3afac";
const JUMBF = Buffer.concat([
  bytes("JP\0\x01"),
  uint32(1),
  uint32(60),
  bytes("jumb"),
  uint32(30),
  bytes("jumd"),
  Buffer.from("6332706100110010800000aa00389b71", "hex"),
  bytes("\x03c2pa\0"),
]);

const xmp = (properties: string) =>
  bytes(
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' +
      'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dcterms="http://purl.org/dc/terms/" ' +
      `xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">${properties}</rdf:Description></rdf:RDF>` +
      '</x:xmpmeta><?xpacket end="w"?>',
  );

const label = (text: string) => xmp(`<xmp:Label>${text}</xmp:Label>`);

type Dictionary = Record<string, unknown>;

type Format = {
  plain: () => Buffer;
  withC2pa: (file: Buffer) => Buffer;
  withXmp: (file: Buffer, packet: Buffer) => Buffer;
};

const FORMATS: Record<string, Format> = {
  png: {
    plain: () => makeImage("png"),
    withC2pa: (file) => insert(file, 33, pngChunk("caBX", JUMBF)),
    withXmp: (file, packet) =>
      insert(file, 33, pngChunk("iTXt", bytes("XML:com.adobe.xmp\0\0\0\0\0"), packet)),
  },
  jpeg: {
    plain: () => makeImage("jpeg"),
    withC2pa: (file) => insert(file, 2, jpegSegment(0xeb, JUMBF)),
    withXmp: (file, packet) =>
      insert(file, 2, jpegSegment(0xe1, bytes("http://ns.adobe.com/xap/1.0/\0"), packet)),
  },
  webp: {
    plain: () => makeImage("webp"),
    withC2pa: (file) => webpWith(file, "C2PA", JUMBF),
    withXmp: (file, packet) => webpWith(file, "XMP ", packet),
  },
  mp4: {
    plain: () => video,
    withC2pa: (file) => Buffer.concat([file, uuidBox(C2PA_ID, JUMBF)]),
    withXmp: (file, packet) =>
      Buffer.concat([file, uuidBox(XMP_ID, packet), uint32(9), bytes("free!")]),
  },
};
const EACH = Object.entries(FORMATS);

const { decoder, fileOf, inspect, thumbnail } = mediaFixture();
const video = Buffer.from(await makeVideo());

const withEdits = (file: Buffer, edits: Edit[]) => buffer(edited(inMemory(file), edits));
const marked = async (file: Buffer) => withEdits(file, (await marksOf(file)).edits);

/** The pictures of a file, decoded. */
async function pictures(file: Buffer, name: string): Promise<string> {
  if (name === "mp4") return (await thumbnail(file))?.toString() ?? "";
  return Buffer.from((await drawn(file)).data).toString("hex");
}

it.runIf(existsSync(PERL))("a mark is read by exiftool without a warning", async () => {
  const files = [
    ...EACH.map(([name, { plain }]) => [name, plain()] as const),
    ...EACH.map(
      ([name, { plain, withXmp }]) => [name, withXmp(plain(), label("a label"))] as const,
    ),
  ];
  const paths = files.map(async ([name, file]) => fileOf(await marked(file), name));
  const options = ["-json", "-n", "-validate", "-warning", "-XMP:all"];
  const args = [EXIFTOOL, ...options, ...(await Promise.all(paths))];
  const read = JSON.parse(execFileSync(PERL, args, { encoding: "utf8" })) as Dictionary[];
  const found = read.map((one) => [one["DigitalSourceType"], one["Label"], one["Warning"]]);
  expect(found).toEqual([
    ...EACH.map(() => [TRAINED, undefined, undefined]),
    ...EACH.map(() => [TRAINED, "a label", undefined]),
  ]);
});

describe.each(EACH)("a %s", (name, format) => {
  it("without a mark gets the IPTC digital source type, in memory as from disk, and has the same pictures", async () => {
    const plain = format.plain();
    expect(await marksOf(plain, "detect")).toEqual(UNMARKED);
    const { provenance, edits } = await marksOf(plain);
    expect(provenance).toBe("iptc");
    const file = await withEdits(plain, edits);
    expect(await pictures(file, name)).toBe(await pictures(plain, name));
    expect(await marksOf(file)).toEqual(IPTC);
    expect(await inspect(file)).toEqual(await inspect(plain));
    await using onDisk = await openFile(await fileOf(plain));
    const { marks } = await inspectMedia(onDisk, decoder.header);
    expect(markedBy("embed", marks).edits).toEqual(edits);
    expect((await buffer(edited(onDisk, edits))).equals(file)).toBe(true);
  });

  it("with Content Credentials is left as it is, with or without XMP", async () => {
    const signed = format.withC2pa(format.plain());
    expect(await marksOf(signed)).toEqual(C2PA);
    expect(await marksOf(format.withXmp(signed, label("a")))).toEqual(C2PA);
  });

  it("with XMP keeps what that says, with the mark in addition", async () => {
    const plain = format.withXmp(format.plain(), label("a label"));
    const file = await marked(plain);
    expect(file.includes("a label")).toBe(true);
    const begin = "<?xpacket begin";
    const kept = name === "mp4" ? plain.indexOf(begin) : file.lastIndexOf(begin);
    expect(file.indexOf(begin)).toBe(kept);
    expect(await pictures(file, name)).toBe(await pictures(plain, name));
    expect(await marksOf(file)).toEqual(IPTC);
  });

  it.each([
    ["iptc", source(TRAINED)],
    [
      "iptc",
      `<ext:DigitalSourceType rdf:resource="${TERMS}/compositeWithTrainedAlgorithmicMedia"/>`,
    ],
    ["iptc", source(TRAINED.replace("http:", "https:"))],
    ["c2pa", "<dcterms:provenance>https://a.example.com/1.c2pa</dcterms:provenance>"],
    ["c2pa", '<dcterms:provenance rdf:resource="http://a.example.com/1.c2pa"/>'],
    ["none", source(`${TERMS}/digitalCapture`)],
  ])("whose XMP names its source has %s and is left as it is", async (provenance, properties) => {
    const file = format.withXmp(format.plain(), xmp(properties));
    expect(await marksOf(file)).toEqual({ provenance, edits: [] });
  });

  it.each([
    [
      "names Content Credentials that it has lost",
      "<dcterms:provenance>self#jumbf=/c2pa/1</dcterms:provenance>",
    ],
    ["has a mark in a comment only", `<!-- ${source(TRAINED)} -->`],
  ])("whose XMP %s gets the mark", async (_, properties) => {
    const packet = Buffer.concat([xmp(properties), bytes("<!-- </rdf:RDF> -->")]);
    const { provenance, edits } = await marksOf(format.withXmp(format.plain(), packet));
    expect(provenance).toBe("iptc");
    const written = edits.map(({ insert: piece }) => piece.toString("latin1")).join("");
    const at = written.indexOf("<Iptc4xmpExt:DigitalSourceType>");
    expect(at).toBeLessThan(written.indexOf("</x:xmpmeta>"));
  });

  it("with XMP that is too long or not as is usual is left as it is", async () => {
    expect(await marksOf(format.withXmp(format.plain(), bytes("<x/>")))).toEqual(UNMARKED);
    const longest = name === "jpeg" ? 65_000 : 300_000;
    const long = format.withXmp(format.plain(), label("a".repeat(longest)));
    expect(await marksOf(long)).toEqual(UNMARKED);
  });

  it("that ends too early, or has anything in it, is read to an end and never fails", async () => {
    const whole = await marked(format.plain());
    for (const end of [0, 1, 8, 12, 20, 29, 33, 40, whole.byteLength - 1])
      await expect(marksOf(whole.subarray(0, end))).rejects.toThrow(MediaError);
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
        const damaged = Buffer.from(whole);
        for (const { at, byte } of changes)
          damaged[at % Math.min(damaged.byteLength, 2_000)] = byte;
        const found = await marksOf(damaged).catch((error: unknown) => error);
        if (found instanceof MediaError) return;
        const { provenance, edits } = found as Marked;
        expect(["c2pa", "iptc", "none"]).toContain(provenance);
        expect(edits.every(({ at, remove }) => at + remove <= damaged.byteLength)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a mark", () => {
  const packet = xmp(source(TRAINED));
  const raw = bytes(`\nxmp\n${String(packet.byteLength).padStart(8)}\n${packet.toString("hex")}\n`);
  const rawKeyword = bytes("Raw profile type xmp\0");
  it.each([
    ["compressed", "iTXt", [bytes("XML:com.adobe.xmp\0\x01\0\0\0"), deflateSync(packet)]],
    ["tagged with a language", "iTXt", [bytes("XML:com.adobe.xmp\0\0\0x-default\0XMP\0"), packet]],
    ["in ImageMagick's form", "tEXt", [rawKeyword, raw]],
    ["in ImageMagick's form, compressed", "zTXt", [rawKeyword, bytes("\0"), deflateSync(raw)]],
  ] as const)("is found in a PNG where it is %s", async (_, type, content) => {
    expect(await marksOf(insert(makeImage("png"), 33, pngChunk(type, ...content)))).toEqual(IPTC);
  });

  it("that would inflate to more than is read of it is left alone", async () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000));
    const chunk = pngChunk("iTXt", bytes("XML:com.adobe.xmp\0\x01\0\0\0"), bomb);
    expect(await marksOf(insert(makeImage("png"), 33, chunk))).toEqual(UNMARKED);
  });

  it("is not written into a JPEG that says where further pictures are", async () => {
    const file = insert(makeImage("jpeg"), 2, jpegSegment(0xe2, bytes("MPF\0MM\0*")));
    expect(await marksOf(file)).toEqual(UNMARKED);
  });

  it("is not written into an MP4 that is signed in a box of 64-bit length", async () => {
    const content = Buffer.concat([Buffer.from(C2PA_ID, "hex"), JUMBF]);
    const length = [uint32(0), uint32(16 + content.byteLength)];
    const box = Buffer.concat([uint32(1), bytes("uuid"), ...length, content]);
    expect(await marksOf(Buffer.concat([video, box]))).toEqual(C2PA);
  });
});

it("a long file is written whole but for its edits", async () => {
  const file = createHash("shake256", { outputLength: 700_000 }).digest();
  const piece = bytes("piece");
  const edits = [
    { at: 2, remove: 3, insert: piece },
    { at: 600_000, remove: 0, insert: piece },
  ];
  const parts = [file.subarray(0, 2), piece, file.subarray(5, 600_000), piece];
  await using onDisk = await openFile(await fileOf(file));
  const written = await buffer(edited(onDisk, edits));
  expect(written.equals(Buffer.concat([...parts, file.subarray(600_000)]))).toBe(true);
});

describe("the places", () => {
  it("of an MP4: what was there does not move, and an index at its end stays the last", async () => {
    const index = Buffer.concat([uint32(16), bytes("mfra"), uint32(0), uint32(16)]);
    const file = await marked(Buffer.concat([video, index]));
    expect(file.subarray(0, video.byteLength).equals(video)).toBe(true);
    expect(file.subarray(-index.byteLength).equals(index)).toBe(true);
  });

  it("of an MP4 whose last box has no length: behind it, and it gets a length", async () => {
    const open = Buffer.concat([video, uint32(0), bytes("mdat"), bytes("to the end")]);
    const file = await marked(open);
    expect(file.readUInt32BE(video.byteLength)).toBe(18);
    expect(file.subarray(-MARK.byteLength).equals(MARK)).toBe(true);
    expect(await marksOf(file)).toEqual(IPTC);
    const ofXmp = Buffer.concat([video, uuidBox(XMP_ID, label("a")).fill(0, 0, 4)]);
    expect(await marksOf(await marked(ofXmp))).toEqual(IPTC);
    const signed = Buffer.concat([uuidBox(C2PA_ID, JUMBF), open]);
    const mark = signed.subarray(0, signed.readUInt32BE(0));
    expect(await marksOf(insert(open, open.readUInt32BE(0), mark))).toEqual(C2PA);
  });

  it("of a JPEG: after JFIF and Exif", async () => {
    const exif = jpegSegment(0xe1, bytes("Exif\0\0MM\0*"), uint32(8), Buffer.alloc(6));
    const plain = makeImage("jpeg");
    const jfifEnd = 4 + plain.readUInt16BE(4);
    const file = await marked(insert(plain, jfifEnd, exif));
    expect(file.subarray(jfifEnd, jfifEnd + exif.byteLength).equals(exif)).toBe(true);
    expect(file.indexOf(MARK)).toBeLessThan(jfifEnd + exif.byteLength + 40);
  });

  it("of a lossless WebP with transparency: in a file that says so, and is as large", async () => {
    const lossless = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
    const file = await marked(lossless);
    expect(file.toString("latin1", 12, 16)).toBe("VP8X");
    expect(file.readUInt8(20)).toBe(0x14);
    expect([file.readUIntLE(24, 3), file.readUIntLE(27, 3)]).toEqual([0, 0]);
    expect(await pictures(file, "webp")).toBe(await pictures(lossless, "webp"));

    const head = Buffer.concat([bytes("VP8X"), uint32le(10), Buffer.from([0x10]), Buffer.alloc(9)]);
    const extended = insert(lossless, 12, head);
    extended.writeUInt32LE(extended.byteLength - 8, 4);
    expect(await marked(extended)).toEqual(file);
  });

  it("of a WebM: none", async () => {
    expect(await marksOf(Buffer.from(await makeVideo({ container: "webm" })))).toEqual(UNMARKED);
  });
});
