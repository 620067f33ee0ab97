/** `npm run release-specs`: releases the current specs and migrations; later changes must not break their clients. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkMigrations, releaseMigrations } from "./migrations.mjs";
import { breakingChanges, readDocument } from "./openapi-compatible.mjs";
import { runChild } from "./run-child.mjs";

const DOCUMENT = "openapi/media.yaml";
const RELEASED = "openapi/released";
const RELEASED_PROTO = "proto/released.binpb";

/** Compares the document below `root` with the release of its major version, if there is one. */
export function checkDocument(root) {
  const [document, folder] = [readDocument(join(root, DOCUMENT)), join(root, RELEASED)];
  const majorOf = (version) => version.split(".")[0];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const released = names.find((name) => majorOf(name) === majorOf(document.info.version));
  const lines = released ? breakingChanges(readDocument(join(folder, released)), document) : [];
  const advice = "Keep what was promised, or raise the major number of info.version.";
  const output = [`not as ${released} promised:`, ...lines, advice].join("\n");
  return { ok: lines.length === 0, output };
}

/** Compares the protos below `root` with those of the newest release. */
export async function checkProtos(root) {
  if (!existsSync(join(root, RELEASED_PROTO))) return { ok: true };
  return runChild("buf", ["breaking", "--against", RELEASED_PROTO], { cwd: root });
}

/** Releases the specs below `root`: nothing where one of them breaks clients of the release before. */
export async function releaseSpecs(root) {
  const checks = [checkDocument(root), await checkProtos(root), await checkMigrations(root)];
  const released = () => [releaseDocument(root), releaseMigrations(root)];
  const isBroken = ({ ok }) => !ok;
  return checks.find(isBroken) ?? [...released(), await releaseProtos(root)].find(isBroken);
}

function releaseDocument(root) {
  const [document, folder] = [join(root, DOCUMENT), join(root, RELEASED)];
  const { version } = readDocument(document).info;
  const target = join(folder, `${version}.yaml`);
  mkdirSync(folder, { recursive: true });
  if (existsSync(target)) {
    if (readFileSync(target, "utf8") === readFileSync(document, "utf8")) return { ok: true };
    return { ok: false, output: `${version} is released and differs: raise info.version first` };
  }
  const earlier = readdirSync(folder);
  copyFileSync(document, target);
  // Only the newest release is compared with, and it is compatible with the earlier ones of its major version.
  for (const name of earlier) rmSync(join(folder, name));
  return { ok: true };
}

function releaseProtos(root) {
  const args = ["build", "--exclude-source-info", "--output", RELEASED_PROTO];
  return runChild("buf", args, { cwd: root });
}

if (import.meta.main) {
  const refused = { output: "It takes no arguments: it releases the specs as they are." };
  const failed = process.argv.length > 2 ? refused : await releaseSpecs(".");
  if (failed) {
    process.stderr.write(`${failed.output.trim()}\n`);
    process.exitCode = 1;
  }
}
