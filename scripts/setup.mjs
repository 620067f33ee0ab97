/** Makes a checkout ready to run: installs dependencies, builds the dashboard, packs the clients, finds or downloads a NATS server. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hashOf, isBuilt } from "./built-from.mjs";
import { CLIENTS, packClients } from "./client-packages.mjs";
import { isMain } from "./is-main.mjs";
import { ensureNatsServer, locateNatsServer } from "./nats-binary.mjs";
import { mustRun } from "./run-child.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const INSTALL = [
  "ci",
  "--no-audit",
  "--no-fund",
  "--include=dev",
  "--include=optional",
  "--loglevel=error",
];
const PLATFORM = `${process.platform}-${process.arch}`;
const LOCK_RETRY_MS = 200;
const WEB = "clients/dashboard";

const DASHBOARD = {
  entry: `${WEB}/index.html`,
  stamp: `${WEB}/dist/.built-from`,
  files: [
    "package-lock.json",
    "gen/openapi/dashboard-operations.ts",
    "gen/openapi/limits.ts",
    "clients/samples/sample-languages.ts",
  ],
  folders: [WEB],
  isSource: (path) => !path.startsWith(join(WEB, "dist")),
};

/** The Node of this project, whichever Node started this script. */
export function pinnedNode(root = ROOT) {
  return join(root, `node_modules/node-${PLATFORM}/bin/node`);
}

/**
 * Does what is missing and returns the path of the NATS server.
 * @param {{ root?: string, env?: NodeJS.ProcessEnv, say?: (line: string) => void }} [options]
 */
export async function setUp({ root = ROOT, env = process.env, say = () => {} } = {}) {
  if (isInstalled(root) && isBuilt(root, DASHBOARD) && isBuilt(root, CLIENTS)) {
    const found = locateNatsServer({ root, env });
    if (found) return found;
  }
  return withLock(join(root, ".cache/setup.lock"), say, async () => {
    if (!isInstalled(root)) await install(root, env, say);
    const building = [];
    if (!isBuilt(root, DASHBOARD)) {
      say("Building the dashboard.");
      building.push(buildDashboard(root, env));
    }
    if (!isBuilt(root, CLIENTS)) {
      say("Packing the clients.");
      building.push(packClients({ root, npm: npm(root, env), env }));
    }
    await Promise.all(building);
    return ensureNatsServer({ root, env, say });
  });
}

function isInstalled(root) {
  const stamp = read(stampOf(root));
  return stamp !== "" && stamp === lockHash(root) && existsSync(pinnedNode(root));
}

async function install(root, env, say) {
  say("Installing dependencies; this happens once and takes about a minute.");
  const { file, args, path } = npm(root, env);
  const options = { cwd: root, env: { ...env, ...path } };
  const fault = "The dependencies could not be installed: npm ci failed.";
  await mustRun(fault, file, [...args, ...INSTALL], options);
  if (!existsSync(pinnedNode(root))) {
    throw new Error(
      `The dependencies are installed without Node 24: it could not be downloaded, or there is none for ${PLATFORM}.`,
    );
  }
  writeFileSync(stampOf(root), lockHash(root));
}

async function buildDashboard(root, env) {
  const hash = hashOf(root, DASHBOARD);
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--config", join(root, WEB, "vite.config.ts"), "--logLevel", "warn"];
  // A test that sets up would otherwise build React's development version, which is larger and slower.
  const production = { ...env, NODE_ENV: "production" };
  const options = { cwd: root, env: production };
  await mustRun("The dashboard could not be built:", pinnedNode(root), args, options);
  writeFileSync(join(root, DASHBOARD.stamp), hash);
}

/** npm with a Node outside node_modules, because the install removes the one inside. */
function npm(root, env) {
  const inside = join(realpathSync(root), "node_modules");
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const outside = folders.filter((folder) => !isInside(folder, inside));
  const path = { PATH: outside.join(delimiter) };
  const script = env.npm_execpath;
  const node = [env.npm_node_execpath, process.execPath].find(
    (candidate) => candidate && !isInside(candidate, inside),
  );
  if (script?.endsWith(".js") && node) return { file: node, args: [script], path };
  return { file: "npm", args: [], path };
}

function isInside(path, folder) {
  const real = existsSync(path) ? realpathSync(path) : path;
  return real.startsWith(folder) || path.startsWith(folder);
}

/** Concurrent first starts take turns; the lock of an ended process is ignored. */
async function withLock(file, say, action) {
  mkdirSync(dirname(file), { recursive: true });
  let isAnnounced = false;
  while (!tryLock(file)) {
    const owner = Number(read(file));
    if (owner && !isRunning(owner)) rmSync(file, { force: true });
    else if (!isAnnounced) say("Waiting for another start to finish the set-up.");
    isAnnounced = true;
    await delay(LOCK_RETRY_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function stampOf(root) {
  return join(root, "node_modules/.setup-stamp");
}

function lockHash(root) {
  return createHash("sha256")
    .update(read(join(root, "package-lock.json")))
    .digest("hex");
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Runs the set-up for a command line. Progress and errors go to standard error; undefined after an error. */
export async function setUpOrExplain() {
  try {
    return await setUp({ say: (line) => process.stderr.write(`${line}\n`) });
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

if (isMain(import.meta.url)) {
  if ((await setUpOrExplain()) === undefined) process.exitCode = 1;
}
