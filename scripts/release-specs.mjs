/** `npm run release-specs`: releases the current specs; later changes must not break their clients. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { checkReleased, readDocument } from "./openapi-breaking.mjs";

const DOCUMENT = "openapi/media.yaml";
const RELEASED = "openapi/released";
const RELEASED_PROTO = "proto/released.binpb";

function buf(...args) {
  const { status, error, stdout, stderr } = spawnSync("buf", args, { encoding: "utf8" });
  return { ok: status === 0, output: error?.message ?? `${stdout}${stderr}` };
}

function releaseDocument() {
  const { version } = readDocument(DOCUMENT).info;
  const target = `${RELEASED}/${version}.yaml`;
  mkdirSync(RELEASED, { recursive: true });
  if (existsSync(target)) {
    if (readFileSync(target, "utf8") === readFileSync(DOCUMENT, "utf8")) return { ok: true };
    return { ok: false, output: `${version} is released and differs: raise info.version first` };
  }
  const earlier = readdirSync(RELEASED);
  const kept = earlier.length === 0 ? { ok: true } : checkReleased(DOCUMENT, RELEASED);
  if (!kept.ok) return kept;
  copyFileSync(DOCUMENT, target);
  // Only the newest release is compared with, and it is compatible with the earlier ones of its major version.
  for (const name of earlier) rmSync(`${RELEASED}/${name}`);
  return kept;
}

function releaseProto() {
  const isFirst = !existsSync(RELEASED_PROTO);
  const compatible = isFirst ? { ok: true } : buf("breaking", "--against", RELEASED_PROTO);
  if (!compatible.ok) return compatible;
  return buf("build", "--exclude-source-info", "--output", RELEASED_PROTO);
}

for (const release of [releaseDocument, releaseProto]) {
  const { ok, output = "" } = release();
  if (ok) continue;
  process.stderr.write(`${output.trim()}\n`);
  process.exitCode = 1;
}
