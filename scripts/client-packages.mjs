/** Packs the clients into clients/packages, which the gateway serves, if their sources have changed since the last time. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { hashOf, sourcesIn } from "./built-from.mjs";
import { mustRun } from "./run-child.mjs";

const PACKAGES = "clients/packages";
const NPM_PACKAGES = ["clients/typescript", "clients/ai-sdk"];
const PYTHON = "clients/python";
const MODULE = "media_generation_client";
const WHEEL_TAG = "py3-none-any";
const WHEEL_ZIP = { level: 9, mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 << 16 };
const NO_SOURCE = /\/(dist|reference|build|__pycache__|[\w.]+\.egg-info)\//;

export const CLIENTS = {
  entry: "clients/typescript/package.json",
  stamp: `${PACKAGES}/.built-from`,
  files: [
    "scripts/client-packages.mjs",
    "package-lock.json",
    "tsconfig.json",
    "gen/openapi/media.ts",
  ],
  folders: [...NPM_PACKAGES, PYTHON],
  isSource: (path) => !NO_SOURCE.test(path),
};

/** Throws an error with npm's output. */
export async function packClients() {
  const hash = hashOf(CLIENTS);
  const fresh = `${PACKAGES}.fresh`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const folder of NPM_PACKAGES) {
    const args = ["pack", "--loglevel=error", "--pack-destination", resolve(fresh)];
    await mustRun(`The client could not be packed from ${folder}:`, "npm", args, { cwd: folder });
  }
  const { fileName, content } = await pythonWheel();
  writeFileSync(join(fresh, fileName), content);
  writeFileSync(join(fresh, ".built-from"), hash);
  rmSync(PACKAGES, { recursive: true, force: true });
  renameSync(fresh, PACKAGES);
}

/**
 * The package as pyproject.toml describes it, made without Python: it has neither dependencies nor compiled parts. The
 * same sources make the same bytes.
 */
async function pythonWheel() {
  // This file is read before any package is installed.
  const { zipSync } = await import("fflate");
  const read = (path) => readFileSync(join(PYTHON, path), "utf8");
  const project = read("pyproject.toml");
  const value = (name) => new RegExp(`^${name} = "(.*)"$`, "m").exec(project)?.[1];
  const [, version] = /^__version__ = "(.*)"$/m.exec(read(`${MODULE}/version.py`));
  const [, classifiers] = /^classifiers = (\[.*\])$/m.exec(project);
  const metadata = [
    "Metadata-Version: 2.1",
    `Name: ${value("name")}`,
    `Version: ${version}`,
    `Summary: ${value("description")}`,
    `Requires-Python: ${value("requires-python")}`,
    ...JSON.parse(classifiers).map((classifier) => `Classifier: ${classifier}`),
    "Description-Content-Type: text/markdown",
    "",
    read("README.md"),
  ];
  const about = [
    "Wheel-Version: 1.0",
    "Generator: media-generation",
    "Root-Is-Purelib: true",
    `Tag: ${WHEEL_TAG}`,
    "",
  ];
  const base = `${value("name").replaceAll("-", "_")}-${version}`;
  const files = new Map(
    sourcesIn(`${PYTHON}/${MODULE}`, CLIENTS.isSource).map((path) => [
      relative(PYTHON, path),
      readFileSync(path),
    ]),
  );
  files.set(`${base}.dist-info/METADATA`, Buffer.from(metadata.join("\n")));
  files.set(`${base}.dist-info/WHEEL`, Buffer.from(about.join("\n")));
  const digest = (content) => createHash("sha256").update(content).digest("base64url");
  const record = [...files].map(
    ([path, content]) => `${path},sha256=${digest(content)},${content.length}`,
  );
  const recordPath = `${base}.dist-info/RECORD`;
  files.set(recordPath, Buffer.from([...record, `${recordPath},,`, ""].join("\n")));
  const content = zipSync(Object.fromEntries(files), WHEEL_ZIP);
  return { fileName: `${base}-${WHEEL_TAG}.whl`, content };
}

if (import.meta.main) await packClients();
