/** Makes a wheel of a Python package without dependencies and compiled parts, so that no Python is needed to build it. */
import { createHash } from "node:crypto";
import { zipSync } from "fflate";

const TAG = "py3-none-any";
/** The same sources make the same bytes. */
const ZIP = { level: 9, mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 << 16 };

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
  return { fileName: `${base}-${TAG}.whl`, content: zipSync(Object.fromEntries(all), ZIP) };
}

function digest(content) {
  return `sha256=${createHash("sha256").update(content).digest("base64url")}`;
}
