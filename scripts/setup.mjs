/** Makes a checkout ready to run: its dependencies installed, a NATS server to be had, the dashboard built. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildDashboard, isDashboardBuilt } from "./dashboard-build.mjs";
import { ensureNatsServer, locateNatsServer } from "./nats-binary.mjs";

export { ensureNatsServer };

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SHOWN_LINES = 8;
const INSTALL = ["ci", "--no-audit", "--no-fund", "--include=dev", "--loglevel=error"];
const LOCK_EVERY_MS = 200;

/** What is wrong with the machine or the network, in words for the person who started. */
export class SetupError extends Error {}

/** The Node that this project runs on, whichever one started it. */
export function pinnedNode(root = ROOT) {
  return join(root, "node_modules/node/bin/node");
}

/**
 * Does what is missing and answers with the path of the NATS server.
 * @param {{ root?: string, env?: NodeJS.ProcessEnv, say?: (line: string) => void }} [options]
 */
export async function setUp({ root = ROOT, env = process.env, say = () => {} } = {}) {
  if (isInstalled(root) && isDashboardBuilt(root)) {
    const found = attempt(() => locateNatsServer({ root, env }));
    if (found) return found;
  }
  return withLock(join(root, ".cache/setup.lock"), say, async () => {
    if (!isInstalled(root)) await install(root, env, say);
    if (!isDashboardBuilt(root)) await build(root, env, say);
    return ensureNatsServer({ root, env, say }).catch((error) => {
      throw new SetupError(error.message);
    });
  });
}

function attempt(action) {
  try {
    return action();
  } catch (error) {
    throw new SetupError(error.message);
  }
}

function isInstalled(root) {
  const stamp = read(stampOf(root));
  return stamp !== "" && stamp === lockHash(root) && existsSync(pinnedNode(root));
}

async function install(root, env, say) {
  say("Installing dependencies; this happens once and takes about a minute.");
  const { file, args, path } = npm(root, env);
  const result = await run(file, [...args, ...INSTALL], {
    cwd: root,
    env: { ...env, ...path },
  });
  if (result.failed) {
    throw new SetupError(
      `The dependencies could not be installed: npm ci failed.\n${ends(result.output)}`,
    );
  }
  if (!existsSync(pinnedNode(root))) {
    throw new SetupError(
      "The dependencies are installed, but Node 24 is not among them: its install script did not run.\n" +
        "Set npm's ignore-scripts to false for this folder, then start again.",
    );
  }
  writeFileSync(stampOf(root), lockHash(root));
}

async function build(root, env, say) {
  say("Building the dashboard.");
  await buildDashboard({ root, node: pinnedNode(root), env }).catch((error) => {
    throw new SetupError(error.message);
  });
}

/** The first and the last lines: npm gives its reason first, an install script that failed last. */
function ends(output) {
  const lines = output.split("\n").filter((line) => !/^(npm error)?\s*$/.test(line));
  if (lines.length <= 2 * SHOWN_LINES) return lines.join("\n");
  return [...lines.slice(0, SHOWN_LINES), "…", ...lines.slice(-SHOWN_LINES)].join("\n");
}

/** npm run by the Node outside of node_modules: the one inside is taken away during the install. */
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

function run(file, args, options) {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { ...options, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ failed: error !== null, output: `${stdout}${stderr}` || String(error ?? "") }),
    );
    child.stdin?.end();
  });
}

/** Two first starts at once take turns; the lock of an ended process counts for nothing. */
async function withLock(file, say, action) {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !tryLock(file); told = true) {
    const owner = Number(read(file));
    if (owner && !isRunning(owner)) rmSync(file, { force: true });
    else if (!told) say("Waiting for another start to finish the set-up.");
    await delay(LOCK_EVERY_MS);
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

/** Runs the set-up for a command line: progress and one clear reason go to standard error. */
export async function setUpOrExplain() {
  try {
    return await setUp({ say: (line) => process.stderr.write(`${line}\n`) });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if ((await setUpOrExplain()) === undefined) process.exitCode = 1;
}
