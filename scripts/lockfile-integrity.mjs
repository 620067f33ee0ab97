/** Whether npm verifies what it installs by package-lock.json. */
import { readFileSync } from "node:fs";

/**
 * The packages whose entry has no hash. The project's registry lacks some binaries of platforms on which neither tests
 * nor the image run, and so their hashes: those are left out here.
 * @param {Record<string, { integrity?: string, link?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }>} packages
 */
export function withoutIntegrity(packages) {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .filter(([, one]) => !one.integrity && !(one.optional && isOfOtherPlatform(one)))
    .map(([path]) => path);
}

/** Other than Linux on x86-64 with glibc. */
function isOfOtherPlatform({ os = ["linux"], cpu = ["x64"], libc = ["glibc"] }) {
  return !os.includes("linux") || !cpu.includes("x64") || !libc.includes("glibc");
}

export function checkIntegrity() {
  const found = withoutIntegrity(JSON.parse(readFileSync("package-lock.json", "utf8")).packages);
  const advice = "no integrity in package-lock.json: node scripts/complete-lockfile.mjs\n";
  return { ok: found.length === 0, output: found.length === 0 ? "" : advice + found.join("\n") };
}
