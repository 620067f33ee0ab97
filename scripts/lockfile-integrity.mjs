/** Whether npm verifies what it installs by its lockfiles, and knows where it is. */
import { readFileSync } from "node:fs";

/** The project's, and those of tools that only some commands install. */
export const LOCKFILES = [
  "package-lock.json",
  "test/deploy/tools/package-lock.json",
  "test/mutation/package-lock.json",
];

/** npm replaces this address, and no other, by that of the registry that it is set to. */
export const REGISTRY = "https://registry.npmjs.org/";

/**
 * Binaries of platforms on which neither tests nor the image run, which the project's registry does not have, and so no
 * hash of them. They are named one by one: nothing else comes in without a hash.
 */
const UNHASHED = new Set(
  [
    ["@dbmate/", "2.36.0", "darwin-arm64 darwin-x64 linux-arm linux-arm64 linux-ia32 win32-x64"],
    ["@squawk-cli/", "2.66.0", "darwin-arm64 darwin-x64 linux-arm64 win32-x64"],
    ["node-", "24.21.0", "darwin-arm64 darwin-x64"],
  ].flatMap(([prefix, version, platforms = ""]) =>
    platforms.split(" ").map((platform) => `node_modules/${prefix}${platform}@${version}`),
  ),
);

/**
 * The packages whose entry has no hash, and which are not named above, or no address in REGISTRY.
 * @param {Record<string, { version?: string, integrity?: string, resolved?: string, link?: boolean, optional?: boolean }>} packages
 */
export function incompletePackages(packages) {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .filter(([path, { version, integrity, resolved, optional }]) => {
      const mayLackHash = optional && UNHASHED.has(`${path}@${version ?? ""}`);
      return !resolved?.startsWith(REGISTRY) || !(integrity || mayLackHash);
    })
    .map(([path]) => path);
}

export function checkIntegrity() {
  const found = LOCKFILES.flatMap((file) =>
    incompletePackages(JSON.parse(readFileSync(file, "utf8")).packages).map(
      (path) => `${file}: ${path}`,
    ),
  );
  const advice = "no integrity or resolved: node scripts/complete-lockfile.mjs\n";
  return { ok: found.length === 0, output: found.length === 0 ? "" : advice + found.join("\n") };
}
