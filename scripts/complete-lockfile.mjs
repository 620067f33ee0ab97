/**
 * `node scripts/complete-lockfile.mjs`: adds missing optional packages of other platforms to package-lock.json. Some
 * registries leave them out; then `npm ci` refuses the file, and other platforms miss their binaries. Where the registry
 * has them, it also adds their hashes. Run it after every change of the dependencies.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const OS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const CPU = {
  "arm-eabi": "arm",
  gnueabihf: "arm",
  musleabihf: "arm",
  armv7: "arm",
  arm64: "arm64",
  aarch64: "arm64",
  arm: "arm",
  x64: "x64",
  ia32: "ia32",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
};

const path = "package-lock.json";
const lock = JSON.parse(readFileSync(path, "utf8"));

for (const [owner, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (owner === "" || isLocked(owner, name)) continue;
    const location = `node_modules/${name}`;
    lock.packages[location] = {
      version,
      cpu: [cpuOf(name)],
      ...(dev ? { dev } : {}),
      ...(name.endsWith("musl") ? { libc: ["musl"] } : {}),
      optional: true,
      os: [osOf(name)],
    };
  }
}
for (const [location, one] of Object.entries(lock.packages)) {
  if (location === "" || one.link || one.integrity) continue;
  const name = location.slice(location.lastIndexOf("node_modules/") + "node_modules/".length);
  const asked = ["view", `${name}@${one.version}`, "dist.integrity"];
  const { stdout } = spawnSync("npm", asked, { encoding: "utf8" });
  if (stdout.startsWith("sha")) one.integrity = stdout.trim();
  else process.stderr.write(`${name}: the registry has no hash of it\n`);
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);

/** Whether Node would find `name` from `owner`: in its own node_modules or in one of those around it. */
function isLocked(owner, name) {
  const packages = owner.split("/node_modules/");
  const folders = packages.map((_, depth) => packages.slice(0, depth + 1).join("/node_modules/"));
  const locations = ["node_modules", ...folders.map((folder) => `${folder}/node_modules`)];
  return locations.some((location) => `${location}/${name}` in lock.packages);
}

function osOf(name) {
  return OS.find((os) => name.includes(os)) ?? "none";
}

function cpuOf(name) {
  const found = Object.entries(CPU).find(([word]) => new RegExp(`-${word}\\b`).test(name));
  return found?.[1] ?? "none";
}
