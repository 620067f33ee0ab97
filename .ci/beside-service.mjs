/**
 * `node .ci/beside-service.mjs COMMAND…`: runs a command as somebody does who has `npm start` running and has used it, and
 * fails if the command does, or if it has changed anything of that service. A data folder that is there is left alone.
 */
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const DATA = ".data";
/** They write and delete while nobody calls; what they store is asked for by ops. */
const SERVERS = /^(postgres|nats|simulator|service\.log)(\/|$)/;
const { start } = JSON.parse(readFileSync("package.json", "utf8")).scripts;

const [program, ...args] = process.argv.slice(2);
// Ctrl-C reaches the service and the command too: this process ends after them.
process.on("SIGINT", () => {});
if (existsSync(DATA)) {
  process.stdout.write(`${DATA} is there: no service is started beside ${program}.\n`);
  process.exitCode = await exitCodeOf(spawn(program, args, { stdio: "inherit" }));
} else {
  process.exitCode = await besideService();
}

async function besideService() {
  const env = { ...process.env, PORT: (await isFree(8080)) ? "8080" : "0" };
  const service = spawn("sh", ["-c", start], { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await addressOf(service);
    await use(url);
    const before = await snapshot();
    const code = await exitCodeOf(spawn(program, args, { stdio: "inherit" }));
    const after = await snapshot();
    const changed = Object.keys({ ...before, ...after }).filter(
      (key) => before[key] !== after[key],
    );
    for (const key of changed) {
      process.stderr.write(`${program} changed ${key}: ${before[key]} is ${after[key]} now\n`);
    }
    return changed.length > 0 ? 1 : code;
  } finally {
    service.kill("SIGTERM");
    await exitCodeOf(service);
    rmSync(DATA, { recursive: true, force: true });
  }
}

function addressOf(service) {
  return new Promise((resolve, reject) => {
    let output = "";
    service.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      const [, url] = /Ready: (\S+)/.exec(output) ?? [];
      if (url && output.includes("Ctrl-C stops everything")) resolve(url);
    });
    service.once("exit", () => reject(new Error(`the service did not start:\n${output}`)));
  });
}

/** A generation, so that there are Tokens, outputs and events. */
async function use(url) {
  const key = readFileSync(join(DATA, "demo/live-key"), "utf8").trim();
  const response = await fetch(`${url}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gamma-image-3.0-pro", prompt: "a cat in the rain" }),
  });
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  await response.text();
}

/** What a call of a test or a write of its would change, by name. */
async function snapshot() {
  const found = {
    accounts: await ops("account", "list"),
    ledger: await ops("audit", "--all"),
    requests: await publicRequests(),
  };
  for (const path of readdirSync(DATA, { recursive: true }).filter((one) => !SERVERS.test(one))) {
    const file = join(DATA, path);
    if (!statSync(file).isFile()) continue;
    found[file] = createHash("sha256").update(readFileSync(file)).digest("hex");
  }
  return found;
}

async function ops(...command) {
  const all = ["services/ops/main.ts", ...command, "--json"];
  return (await promisify(execFile)("scripts/run", all)).stdout.trim();
}

/** The gateway counts the requests to its public port. */
async function publicRequests() {
  const { gateway } = JSON.parse(readFileSync(join(DATA, "endpoints.json"), "utf8"));
  const metrics = await (await fetch(`${gateway}/metrics`)).text();
  return metrics.match(/^media_http_request_duration_seconds_count.*$/gm).join(" ");
}

async function exitCodeOf(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode ?? 1;
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
