/**
 * `npm run third-party`: writes THIRD_PARTY.md from package-lock.json. `npm run check` compares them. Development
 * dependencies are not distributed, but for what is built into the dashboard, whose build lists it with its licences.
 */
import { readFileSync, writeFileSync } from "node:fs";

const TARGET = "THIRD_PARTY.md";

/** Packages whose entry in the lockfile has no licence; what their own files say. */
const STATED_ELSEWHERE = {
  "@better-fetch/fetch": "MIT",
  "@dbmate/": "MIT",
  "@napi-rs/canvas-": "MIT",
  "@seydx/node-av-": "MIT",
  "@shinyoshiaki/jspack": "BSD-3-Clause",
  "node-darwin-": "MIT",
};

/** Licences that were looked at: but for MPL-2.0, they only ask for their text and the copyright to be kept. */
const LICENCES = new Set([
  "MPL-2.0",
  "0BSD",
  "(Apache-2.0 AND BSD-3-Clause)",
  "(MIT OR Apache-2.0)",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
]);

/** What is above it in the file is written by hand. */
const HEADING = "## All packages";

/** Made with the dashboard: what it is built from, with the texts of the licences. */
const DASHBOARD = "clients/dashboard/dist/licences.md";

/** The distributed packages as { name, version, license }, in order of name. */
function distributedPackages() {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const found = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path !== "" && !dev && !link)
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return { name, version, license: license ?? statedElsewhere(name) };
    });
  const unique = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.values()].sort((a, b) => inOrder(a.name, b.name));
}

/** The same order on every machine. */
function inOrder(a, b) {
  return a < b ? -1 : 1;
}

function statedElsewhere(name) {
  return Object.entries(STATED_ELSEWHERE).find(([prefix]) => name.startsWith(prefix))?.[1];
}

/** The text of THIRD_PARTY.md, and the packages whose licence nobody has looked at. */
export function thirdParty() {
  const packages = distributedPackages();
  const built = readFileSync(DASHBOARD, "utf8").matchAll(
    /^## (?<name>\S+) - \S+(?: \((?<license>.*)\))?$/gm,
  );
  const all = [...packages, ...Array.from(built, ({ groups }) => groups)];
  const refused = all.filter(({ license }) => !LICENCES.has(license));
  const licenses = [...new Set(packages.map(({ license }) => license))].sort(inOrder);
  const sections = licenses.map((license) => {
    const own = packages.filter((one) => one.license === license);
    const lines = own.map(({ name, version }) => `- ${name} ${version}`);
    return `### ${license}\n\n${lines.join("\n")}\n`;
  });
  const [introduction] = readFileSync(TARGET, "utf8").split(HEADING);
  const text = `${introduction}${HEADING}\n\n${sections.join("\n")}`;
  return { text, refused };
}

/** Whether the committed file is what the lockfile gives now, and every licence is one that was looked at. */
export function checkThirdParty() {
  const { text, refused } = thirdParty();
  const unknown = refused.map(({ name, license }) => `${name}: ${license ?? "no licence"}`);
  if (unknown.length > 0)
    return { ok: false, output: `look at these licences:\n${unknown.join("\n")}` };
  const ok = readFileSync(TARGET, "utf8") === text;
  return {
    ok,
    output: ok ? "" : `${TARGET} is not that of package-lock.json: npm run third-party`,
  };
}

if (import.meta.main) {
  writeFileSync(TARGET, thirdParty().text);
}
