/** Finds a NATS server program on this machine, or downloads one into the cache folder of the checkout. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
// Folders that are not on the PATH of an ordinary user; Debian installs servers there.
const MORE_PATH = ["/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin", "/usr/local/bin"];
const DOWNLOAD_TIMEOUT_MS = 120_000;
const APT_TIMEOUT_SECONDS = 8;
const CHECK_TIMEOUT_MS = 10_000;

/**
 * The checksums are those in the Dockerfile of the official image of this version.
 * @type {{ version: string, base: string, sha256: Record<string, string> }}
 */
export const RELEASE = {
  version: "2.12.15",
  base: "https://github.com/nats-io/nats-server/releases/download",
  sha256: {
    "linux-amd64": "58ab8131f819263897e2fc38e503e1b755b63bcafeecc7d12582487df48ca15e",
    "linux-arm64": "b724db99fefbf8f5c808baa82819ee50350aee9734017e4a478f7e545cef3ab6",
  },
};

/**
 * The path of an installed NATS server, or undefined. Looks at `NATS_SERVER`, PATH and the cache folder, in this order.
 * Throws if `NATS_SERVER` is not a program.
 * @param {{ root?: string, env?: NodeJS.ProcessEnv, morePath?: string[] }} [options]
 */
export function locateNatsServer({ root = ROOT, env = process.env, morePath = MORE_PATH } = {}) {
  if (env.NATS_SERVER) {
    if (isProgram(env.NATS_SERVER)) return resolve(env.NATS_SERVER);
    throw new Error(`NATS_SERVER names ${env.NATS_SERVER}, which is not a program.`);
  }
  const onPath = [...(env.PATH ?? "").split(delimiter).filter(Boolean), ...morePath];
  const cached = [`v${RELEASE.version}`, "debian"].map((name) => join(cacheOf(root), name));
  return [...onPath, ...cached].map((folder) => join(folder, "nats-server")).find(isProgram);
}

/**
 * Like locateNatsServer, but downloads a server if there is none. Throws one error with all reasons.
 * @param {{ root?: string, env?: NodeJS.ProcessEnv, morePath?: string[],
 *   say?: (line: string) => void, sources?: Source[] }} [options]
 * @typedef {{ name: string, folder: string, fetch: (work: string) => Promise<string> }} Source
 */
export async function ensureNatsServer(options = {}) {
  const { root = ROOT, say = () => {}, sources = [officialRelease(), debianPackage()] } = options;
  const found = locateNatsServer(options);
  if (found) return found;
  const reasons = [];
  for (const source of sources) {
    say(`Fetching a NATS server: ${source.name}`);
    try {
      return await install(source, cacheOf(root));
    } catch (error) {
      reasons.push(`  - ${source.name}: ${firstLine(error)}`);
    }
  }
  throw new Error(
    "No NATS server is available. Install one (`apt-get install nats-server`, `brew install nats-server`)\n" +
      `or set NATS_SERVER to the path of one, then start again. Tried:\n${reasons.join("\n")}`,
  );
}

/** The pinned release of the NATS project, refused if its checksum differs. */
export function officialRelease({ release = RELEASE, platform = platformName() } = {}) {
  const { version, base, sha256 } = release;
  return {
    name: `release ${version} from ${new URL(base).host}`,
    folder: `v${version}`,
    async fetch(work) {
      const wanted = sha256[platform];
      if (!wanted) throw new Error(`there is no checksum of a release for ${platform}`);
      const url = `${base}/v${version}/nats-server-v${version}-${platform}.tar.gz`;
      const archive = await download(url);
      const found = createHash("sha256").update(archive).digest("hex");
      if (found !== wanted) throw new Error(`${url} has checksum ${found}, not ${wanted}`);
      writeFileSync(join(work, "archive"), archive);
      await run("tar", ["-xzf", "archive"], work);
      return join(work, `nats-server-v${version}-${platform}/nats-server`);
    },
  };
}

/**
 * Debian's package, unpacked but not installed; apt checks its signature. Its package lists are kept in `work`: that
 * works without root and without lists of the system, and leaves those unchanged.
 */
export function debianPackage() {
  return {
    name: "Debian's package by apt-get",
    folder: "debian",
    async fetch(work) {
      for (const folder of ["lists/partial", "cache/archives/partial"])
        mkdirSync(join(work, folder), { recursive: true });
      const settings = {
        "Dir::State::lists": join(work, "lists"),
        "Dir::Cache": join(work, "cache"),
        "APT::Sandbox::User": userInfo().username,
        "Acquire::Retries": 1,
        "Acquire::http::Timeout": APT_TIMEOUT_SECONDS,
        "Acquire::https::Timeout": APT_TIMEOUT_SECONDS,
      };
      const options = Object.entries(settings).flatMap(([name, value]) => [
        "-o",
        `${name}=${value}`,
      ]);
      await run("apt-get", [...options, "update"], work);
      await run("apt-get", [...options, "download", "nats-server"], work);
      const file = readdirSync(work).find((name) => name.endsWith(".deb"));
      if (!file) throw new Error("apt-get left no package");
      await run("dpkg", ["-x", file, "unpacked"], work);
      return join(work, "unpacked/usr/sbin/nats-server");
    },
  };
}

/** Moves the program to its final path only after it has run once. */
async function install(source, cache) {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "fetch-"));
  try {
    const program = await source.fetch(work);
    chmodSync(program, 0o755);
    const { stdout } = await promisify(execFile)(program, ["-v"], { timeout: CHECK_TIMEOUT_MS });
    if (!stdout.includes("nats-server"))
      throw new Error("the downloaded program is not a NATS server");
    const target = join(cache, source.folder, "nats-server");
    mkdirSync(dirname(target), { recursive: true });
    renameSync(program, target);
    return target;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) }).catch(
    (error) => {
      throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
    },
  );
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function run(file, args, cwd) {
  return promisify(execFile)(file, args, { cwd, timeout: DOWNLOAD_TIMEOUT_MS });
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function platformName() {
  return `${process.platform}-${{ x64: "amd64" }[process.arch] ?? process.arch}`;
}

function cacheOf(root) {
  return join(root, ".cache/nats-server");
}

function firstLine(error) {
  const line = /^E: .*/m.exec(error.stderr ?? "")?.[0] ?? error.message;
  return line.split("\n")[0];
}
