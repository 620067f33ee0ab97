/**
 * `node scripts/complete-lockfile.mjs`: adds missing optional packages of other platforms to package-lock.json. Some
 * registries leave them out; then `npm ci` refuses the file, and other platforms miss their binaries. Where the registry
 * has them, it also adds their hashes. Run it after every change of the dependencies.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const path = "package-lock.json";
const lock = JSON.parse(readFileSync(path, "utf8"));

for (const [owner, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (owner === "" || isLocked(owner, name)) continue;
    const { os, cpu, libc } = { ...platformOf(name), ...registryHas(name, version) };
    lock.packages[`node_modules/${name}`] = { version, cpu, dev, libc, optional: true, os };
  }
}
for (const [location, one] of Object.entries(lock.packages)) {
  if (location === "" || one.link || one.integrity) continue;
  const name = location.slice(location.lastIndexOf("node_modules/") + "node_modules/".length);
  one.integrity = registryHas(name, one.version)["dist.integrity"];
  if (!one.integrity) process.stderr.write(`${name}: the registry has no hash of it\n`);
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

/** What the registry says of a package; nothing where it leaves it out. */
function registryHas(name, version) {
  const asked = ["os", "cpu", "libc", "dist.integrity"];
  const args = ["view", `${name}@${version}`, ...asked, "--json"];
  const { status, stdout } = spawnSync("npm", args, { encoding: "utf8" });
  return status === 0 && stdout !== "" ? JSON.parse(stdout) : {};
}

/** By its name, as `@dbmate/darwin-arm64`. */
function platformOf(name) {
  const [, os, cpu] = /(android|darwin|freebsd|linux|win32)-(\w+)/.exec(name) ?? [];
  return { os: [os ?? "none"], cpu: [cpu ?? "none"] };
}
