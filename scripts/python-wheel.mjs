/** Makes a wheel of a Python package without dependencies and compiled parts, so that no Python is needed to build it. */
import { createHash } from "node:crypto";
import { crc32, deflateRawSync } from "node:zlib";

const TAG = "py3-none-any";
const VERSION_NEEDED = 20;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
/** 1 January 1980: the same sources make the same bytes. */
const DATE = 0x0021;
const FILE_MODE = (0o100644 << 16) >>> 0;

/**
 * `files` are those of the package, by their paths.
 * @param {{ name: string, version: string, metadata: string, files: Map<string, Buffer> }} wheel
 */
export function wheelOf({ name, version, metadata, files }) {
  const base = `${name.replaceAll("-", "_")}-${version}`;
  const info = `${base}.dist-info`;
  const all = new Map([
    ...files,
    [`${info}/METADATA`, Buffer.from(metadata)],
    [
      `${info}/WHEEL`,
      Buffer.from(
        `Wheel-Version: 1.0\nGenerator: media-generation\nRoot-Is-Purelib: true\nTag: ${TAG}\n`,
      ),
    ],
  ]);
  const record = [...all].map(([path, content]) => `${path},${digest(content)},${content.length}`);
  all.set(`${info}/RECORD`, Buffer.from([...record, `${info}/RECORD,,`, ""].join("\n")));
  return { fileName: `${base}-${TAG}.whl`, content: zip(all) };
}

function digest(content) {
  return `sha256=${createHash("sha256").update(content).digest("base64url")}`;
}

/** A ZIP archive of these files. */
function zip(files) {
  const parts = [];
  const entries = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const about = aboutFile(name, content, packed);
    const local = Buffer.concat([uint32(0x04034b50), about, name, packed]);
    entries.push(
      Buffer.concat([
        uint32(0x02014b50),
        uint16((3 << 8) | VERSION_NEEDED),
        about,
        uint16(0, 0, 0),
        uint32(FILE_MODE, offset),
        name,
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.concat([
    uint32(0x06054b50),
    uint16(0, 0, entries.length, entries.length),
    uint32(directory.length, offset),
    uint16(0),
  ]);
  return Buffer.concat([...parts, directory, end]);
}

/** What the file itself and the directory say of it alike. */
function aboutFile(name, content, packed) {
  return Buffer.concat([
    uint16(VERSION_NEEDED, UTF8_NAMES, DEFLATED, 0, DATE),
    uint32(crc32(content), packed.length, content.length),
    uint16(name.length, 0),
  ]);
}

function uint16(...values) {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function uint32(...values) {
  return Buffer.from(Uint32Array.from(values).buffer);
}
