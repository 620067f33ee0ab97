/** Bodies, forms and pictures of any size that are made to be expensive. */
import { crc32, deflateSync } from "node:zlib";
import type { HostileText } from "./hostile-texts.ts";

export type HostileBytes = { name: string; of: (length: number) => Buffer };

/** `count` of them, with a number in each, between commas. */
const list = (length: number, each: (at: number) => string) => {
  const count = Math.floor(length / (each(99_999).length + 1));
  return Array.from({ length: count }, (_, at) => each(at)).join(",");
};

/** JSON that has nothing to do with a schema, or is none. */
export const HOSTILE_JSON: readonly HostileText[] = [
  { name: "unknown fields", of: (n) => `{${list(n, (at) => `"a${at}":0`)}}` },
  { name: "numbers as names", of: (n) => `{${list(n, (at) => `"${at * 977}":0`)}}` },
  { name: "fields with escapes", of: (n) => `{${list(n, (at) => `"\\u0061\\"${at}":"\\""`)}}` },
  { name: "a field twice, at the end", of: (n) => `{${list(n, (at) => `"a${at}":0`)},"a0":0}` },
  { name: "a long name", of: (n) => `{"${"a".repeat(n)}":0}` },
  { name: "lists in lists", of: (n) => `${"[".repeat(n / 2)}${"]".repeat(n / 2)}` },
  { name: "objects in objects", of: (n) => `${'{"a":'.repeat(n / 6)}0${"}".repeat(n / 6)}` },
  { name: "a list of texts", of: (n) => `[${list(n, () => '""')}]` },
  { name: "one text", of: (n) => `"${'\\"'.repeat(n / 2)}"` },
  { name: "one number", of: (n) => "1".repeat(n) },
  { name: "spaces after many texts", of: (n) => `[${list(n, () => '"a"         ')}]` },
  { name: "a text without an end", of: (n) => `"${'\\"'.repeat(n / 2)}` },
  { name: "quotes", of: (n) => '"'.repeat(n) },
];

/** Texts that may stand for a picture, as JSON. */
export const HOSTILE_DATA_URLS: readonly HostileText[] = [
  ["base64", "A"],
  ["spaces", " "],
  ["escapes", "\\/"],
  ["wide characters", "😀"],
  ["what is no base64", "%"],
].map(([name, unit = ""]) => ({
  name: `a data URL of ${name}`,
  of: (n) => `"data:image/png;base64,${unit.repeat(n / Buffer.byteLength(unit))}"`,
}));

/** Forms with a boundary, and what is almost one. */
export function hostileForms(boundary: string): HostileBytes[] {
  const disposition = 'Content-Disposition: form-data; name="file"; filename="f"';
  const around = (begin: string, unit: string, end = `\r\n--${boundary}--\r\n`) => ({
    name: `${JSON.stringify(begin.slice(-20))} and ${JSON.stringify(unit.slice(0, 60))}…`,
    of: (length: number) =>
      Buffer.concat([Buffer.from(begin), Buffer.alloc(length, unit), Buffer.from(end)]),
  });
  const first = `--${boundary}\r\n`;
  const file = `${first}${disposition}\r\n\r\n`;
  return [
    around("", `--${boundary}\r\n${disposition}\r\n\r\n\r\n`),
    around(first, "a: b\r\n"),
    around(`${first}${disposition}`, ";a=b"),
    around(file, `\r\n--${boundary.slice(0, -1)}`),
    around(
      `${first}${disposition.replace(/;[^;]*$/, "")}\r\nContent-Type: application/json\r\n\r\n[`,
      "[],",
    ),
  ];
}

/** Pictures of as many pieces as fit. */
export const HOSTILE_PICTURES: readonly HostileBytes[] = [
  { name: "a PNG of empty chunks", of: (n) => png(Buffer.alloc(n - (n % 12), pngChunk("teXt"))) },
  {
    name: "a PNG of 99,990 chunks",
    of: (n) => png(Buffer.alloc(12 * Math.min(99_990, Math.floor(n / 12)), pngChunk("teXt"))),
  },
  {
    name: "a PNG of packed profiles",
    of: () => pngOfXmp("zTXt", `${RAW}\0`, "\nxmp\n 9\n", "3c\n"),
  },
  ...["dcterms:provenance", "<!---->"].map((text) => ({
    name: `a PNG of packed XMP, all ${text}`,
    of: () => pngOfXmp("iTXt", "XML:com.adobe.xmp\0\u0001\0\0\0", "", text),
  })),
  { name: "a JPEG of empty segments", of: (n) => jpeg(Buffer.alloc(n, segment(0xe2))) },
  { name: "a JPEG of fill bytes", of: (n) => jpeg(Buffer.alloc(n, 0xff)) },
  { name: "a JPEG of frame headers", of: (n) => jpeg(Buffer.alloc(n, segment(0xc0))) },
  { name: "a WebP of empty chunks", of: (n) => webp(Buffer.alloc(n, "ABCD\0\0\0\0")) },
];

const RAW = "Raw profile type xmp\0";

/** Eight chunks of 4 kB, each of which is half a megabyte when it is unpacked. */
function pngOfXmp(type: string, head: string, begin: string, repeated: string): Buffer {
  const text = Buffer.concat([Buffer.from(begin), Buffer.alloc(510 * 1024, repeated)]);
  const packed = Buffer.concat([Buffer.from(head, "latin1"), deflateSync(text)]);
  const image = pngChunk("IDAT", Buffer.alloc(1));
  return png(Buffer.concat([...Array.from({ length: 8 }, () => pngChunk(type, packed)), image]));
}

function png(chunks: Buffer): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(64, 0);
  size.writeUInt32BE(64, 4);
  size.writeUInt16BE(0x0802, 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, pngChunk("IHDR", size), chunks, pngChunk("IEND")]);
}

function pngChunk(type: string, content = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.byteLength);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

function jpeg(segments: Buffer): Buffer {
  return Buffer.concat([Buffer.from("ffd8", "hex"), segments, Buffer.from("ffda0002ffd9", "hex")]);
}

/** Of eight bytes of content, which say 64 x 64 where it is a frame header. */
function segment(marker: number): Buffer {
  return Buffer.from([0xff, marker, 0, 10, 8, 0, 64, 0, 64, 1, 1, 0x11]);
}

function webp(chunks: Buffer): Buffer {
  const head = Buffer.from("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\0\0\x3f\0\0", "latin1");
  head.writeUInt32LE(head.byteLength + chunks.byteLength - 8, 4);
  return Buffer.concat([head, chunks]);
}
