/** Packs the clients into clients/packages, which the gateway serves, if their sources have changed since the last time. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hashOf, isBuiltFrom, lastLines, sourcesIn } from "./built-from.mjs";
import { isMain } from "./is-main.mjs";
import { runChild } from "./run-child.mjs";

const PACKAGES = "clients/packages";
const NPM_PACKAGES = ["clients/typescript", "clients/ai-sdk"];
const PYTHON = "clients/python";
const MODULE = "media_generation_client";
/** Files outside their folders that they are built from. */
const OUTSIDE_SOURCES = ["package-lock.json", "tsconfig.json", "gen/openapi/media.ts"];
const NO_SOURCE = /\/(dist|reference|build|__pycache__|[\w.]+\.egg-info)\//;

/** Whether clients/packages was packed from the current sources; true if there is nothing to pack. */
export function areClientsPacked(root) {
  if (!existsSync(join(root, NPM_PACKAGES[0], "package.json"))) return true;
  return isBuiltFrom(stampOf(root), sourcesHash(root));
}

/**
 * Packs them by this npm. Throws an error with the last lines of its output.
 * @param {{ root: string, npm: { file: string, args: string[], path: object }, env: NodeJS.ProcessEnv }} options
 */
export async function packClients({ root, npm, env }) {
  const hash = sourcesHash(root);
  const target = join(root, PACKAGES);
  const fresh = `${target}.fresh`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const folder of NPM_PACKAGES) {
    const args = [...npm.args, "pack", "--loglevel=error", "--pack-destination", fresh];
    const options = { cwd: join(root, folder), env: { ...env, ...npm.path } };
    const { ok, output } = await runChild(npm.file, args, options);
    if (!ok)
      throw new Error(`The client could not be packed from ${folder}:\n${lastLines(output)}`);
  }
  const { fileName, content } = await pythonWheel(root);
  writeFileSync(join(fresh, fileName), content);
  writeFileSync(join(fresh, ".built-from"), hash);
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/** As pyproject.toml describes it. */
async function pythonWheel(root) {
  // It needs a package, and this file is read before any is installed.
  const { wheelOf } = await import("./python-wheel.mjs");
  const read = (path) => readFileSync(join(root, PYTHON, path), "utf8");
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
  ].join("\n");
  const files = new Map(
    sourcesIn(root, `${PYTHON}/${MODULE}`, isSource).map((path) => [
      relative(PYTHON, path),
      readFileSync(join(root, path)),
    ]),
  );
  return wheelOf({ name: value("name"), version, metadata, files });
}

function stampOf(root) {
  return join(root, PACKAGES, ".built-from");
}

function sourcesHash(root) {
  const folders = [...NPM_PACKAGES, PYTHON].flatMap((folder) => sourcesIn(root, folder, isSource));
  const scripts = ["scripts/client-packages.mjs", "scripts/python-wheel.mjs"];
  return hashOf(root, [...scripts, ...OUTSIDE_SOURCES, ...folders]);
}

function isSource(path) {
  return !NO_SOURCE.test(path);
}

if (isMain(import.meta.url)) {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
  await packClients({ root, npm: { file: "npm", args: [], path: {} }, env: process.env });
}
