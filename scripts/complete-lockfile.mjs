/**
 * `node scripts/complete-lockfile.mjs`: adds to package-lock.json what some registries and settings leave out: optional
 * packages of other platforms, without which `npm ci` refuses the file; hashes; and the addresses of packages, without
 * which `npm ci` asks the registry twice for each. Run it after every change of the dependencies.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { LOCKFILES, REGISTRY } from "./lockfile-integrity.mjs";

for (const path of LOCKFILES) {
  const lock = JSON.parse(readFileSync(path, "utf8"));
  complete(lock.packages);
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
}

function complete(packages) {
  for (const [owner, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isLocked(packages, owner, name)) continue;
      const { os, cpu, libc, bin } = { ...platformOf(name), ...registryHas(name, version) };
      const platform = { cpu: [cpu].flat(), libc, optional: true, os: [os].flat() };
      packages[`node_modules/${name}`] = { version, ...platform, bin, dev };
    }
  }
  for (const [location, one] of Object.entries(packages)) {
    if (location === "" || one.link) continue;
    const folder = location.slice(location.lastIndexOf("node_modules/") + "node_modules/".length);
    const { name = folder, version, ...more } = one;
    const file = name.slice(name.indexOf("/") + 1);
    const resolved = `${REGISTRY}${name}/-/${file}-${version}.tgz`;
    const integrity = one.integrity ?? registryHas(name, version)["dist.integrity"];
    if (!integrity) process.stderr.write(`${name}: the registry has no hash of it\n`);
    const alias = name === folder ? {} : { name };
    packages[location] = { ...alias, version, ...more, resolved, integrity };
  }
}

/** Whether Node would find `name` from `owner`: in its own node_modules or in one of those around it. */
function isLocked(packages, owner, name) {
  const around = owner.split("/node_modules/");
  const folders = around.map((_, depth) => around.slice(0, depth + 1).join("/node_modules/"));
  const locations = ["node_modules", ...folders.map((folder) => `${folder}/node_modules`)];
  return locations.some((location) => `${location}/${name}` in packages);
}

/** What the registry says of a package; nothing where it leaves it out. */
function registryHas(name, version) {
  // Of one field alone it would say the value without the name.
  const asked = ["version", "os", "cpu", "libc", "bin", "dist.integrity"];
  const args = ["view", `${name}@${version}`, ...asked, "--json"];
  const { status, stdout } = spawnSync("npm", args, { encoding: "utf8" });
  return status === 0 && stdout !== "" ? JSON.parse(stdout) : {};
}

/** By its name, as `@dbmate/darwin-arm64`. Those of Node have its program. */
function platformOf(name) {
  const [, os, cpu] = /(android|darwin|freebsd|linux|win32)-(\w+)/.exec(name) ?? [];
  const bin = name.startsWith("node-") ? { node: "bin/node" } : undefined;
  return { os: [os ?? "none"], cpu: [cpu ?? "none"], bin };
}
