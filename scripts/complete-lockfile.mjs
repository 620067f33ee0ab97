/**
 * Adds to package-lock.json the optional packages of other platforms, where the registry that made it did not
 * list them: without them `npm ci` refuses the file, and other platforms would miss their binaries.
 * Run it after every change of the dependencies: `node scripts/complete-lockfile.mjs`.
 */
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
    const place = `node_modules/${name}`;
    lock.packages[place] = {
      version,
      cpu: [cpuOf(name)],
      ...(dev ? { dev } : {}),
      ...(name.endsWith("musl") ? { libc: ["musl"] } : {}),
      optional: true,
      os: [osOf(name)],
    };
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);

function isLocked(owner, name) {
  for (let at = owner; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const prefix = at === "" ? "" : `${at}/`;
    if (`${prefix}node_modules/${name}` in lock.packages) return true;
    if (!at.includes("/node_modules/")) return `node_modules/${name}` in lock.packages;
  }
}

function osOf(name) {
  return OS.find((os) => name.includes(os)) ?? "none";
}

function cpuOf(name) {
  const found = Object.entries(CPU).find(([word]) => new RegExp(`-${word}\\b`).test(name));
  return found?.[1] ?? "none";
}
