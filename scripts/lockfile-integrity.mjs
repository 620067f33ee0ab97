/** Whether npm verifies what it installs by package-lock.json. */
import { readFileSync } from "node:fs";

/**
 * Binaries of platforms on which neither tests nor the image run, which the project's registry does not have, and so no
 * hash of them. They are named one by one: nothing else comes in without a hash.
 */
const UNHASHED = new Set(
  [
    ["dbmate", "2.36.0", "darwin-arm64 darwin-x64 linux-arm linux-arm64 linux-ia32 win32-x64"],
    ["squawk-cli", "2.66.0", "darwin-arm64 darwin-x64 linux-arm64 win32-x64"],
  ].flatMap(([scope, version, platforms = ""]) =>
    platforms.split(" ").map((platform) => `node_modules/@${scope}/${platform}@${version}`),
  ),
);

/**
 * The packages whose entry has no hash, and which are not named above.
 * @param {Record<string, { version?: string, integrity?: string, link?: boolean, optional?: boolean }>} packages
 */
export function withoutIntegrity(packages) {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .filter(
      ([path, one]) =>
        !one.integrity && !(one.optional && UNHASHED.has(`${path}@${one.version ?? ""}`)),
    )
    .map(([path]) => path);
}

export function checkIntegrity() {
  const found = withoutIntegrity(JSON.parse(readFileSync("package-lock.json", "utf8")).packages);
  const advice = "no integrity in package-lock.json: node scripts/complete-lockfile.mjs\n";
  return { ok: found.length === 0, output: found.length === 0 ? "" : advice + found.join("\n") };
}
