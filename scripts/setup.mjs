/**
 * `node scripts/setup.mjs`: makes a checkout ready to run. It installs dependencies, builds the dashboard, packs the
 * clients, and finds or downloads a NATS server. Progress and errors go to standard error.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hashOf, isBuilt } from "./built-from.mjs";
import { CLIENTS, packClients } from "./client-packages.mjs";
import { ensureNatsServer, locateNatsServer } from "./nats-binary.mjs";
import { install, isInstalled } from "./npm-install.mjs";
import { mustRun } from "./run-child.mjs";

const PLATFORM = `${process.platform}-${process.arch}`;
/** The Node of this project, whichever Node started this script. */
const NODE = `node_modules/node-${PLATFORM}/bin/node`;
const LOCK = ".cache/setup.lock";
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

function say(line) {
  process.stderr.write(`${line}\n`);
}

async function setUp() {
  const isReady = () => isInstalled(".") && existsSync(NODE);
  if (isReady() && isBuilt(DASHBOARD) && isBuilt(CLIENTS) && locateNatsServer()) return;
  await withLock(async () => {
    if (!isReady()) await installAll();
    const building = [];
    if (!isBuilt(DASHBOARD)) {
      say("Building the dashboard.");
      building.push(buildDashboard());
    }
    if (!isBuilt(CLIENTS)) {
      say("Packing the clients.");
      building.push(packClients());
    }
    await Promise.all(building);
    await ensureNatsServer({ say });
  });
}

async function installAll() {
  say("Installing dependencies; this happens once and takes about a minute.");
  await install(".", "--include=dev", "--include=optional");
  if (existsSync(NODE)) return;
  throw new Error(
    `The dependencies are installed without Node 24: it could not be downloaded, or there is none for ${PLATFORM}.`,
  );
}

async function buildDashboard() {
  const hash = hashOf(DASHBOARD);
  const vite = "node_modules/vite/bin/vite.js";
  const args = [vite, "build", "--config", `${WEB}/vite.config.ts`, "--logLevel", "warn"];
  // A test that sets up would otherwise build React's development version, which is larger and slower.
  const env = { ...process.env, NODE_ENV: "production" };
  await mustRun("The dashboard could not be built:", NODE, args, { env });
  writeFileSync(DASHBOARD.stamp, hash);
}

/** Concurrent first starts take turns; the lock of an ended process is ignored. */
async function withLock(action) {
  mkdirSync(dirname(LOCK), { recursive: true });
  let isAnnounced = false;
  while (!tryLock()) {
    if (!isOwnerRunning()) rmSync(LOCK, { force: true });
    else if (!isAnnounced) say("Waiting for another start to finish the set-up.");
    isAnnounced = true;
    await delay(LOCK_RETRY_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** True also while the lock is being written or removed. */
function isOwnerRunning() {
  try {
    return process.kill(Number(readFileSync(LOCK, "utf8")), 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
try {
  await setUp();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
