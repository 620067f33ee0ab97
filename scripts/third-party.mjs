/**
 * `npm run third-party`: writes THIRD_PARTY.md from package-lock.json. `npm run check` compares them. Of development
 * dependencies only those are listed that are built into the dashboard: the others are not distributed.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain } from "./is-main.mjs";

const TARGET = "THIRD_PARTY.md";

/** Packages whose entry in the lockfile has no licence; what their own files say. */
const STATED_ELSEWHERE = {
  "@better-fetch/fetch": "MIT",
  "@dbmate/": "MIT",
  "@napi-rs/canvas-": "MIT",
  "@seydx/node-av-": "MIT",
  "@shinyoshiaki/jspack": "BSD-3-Clause",
};

/** Licences that only ask for their text and the copyright to be kept. */
const PERMISSIVE = new Set([
  "0BSD",
  "(Apache-2.0 AND BSD-3-Clause)",
  "(MIT OR Apache-2.0)",
  "(MIT OR CC0-1.0)",
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

const INTRODUCTION = `# Third-party software

Written by \`npm run third-party\` from \`package-lock.json\`: the packages that are installed without development
dependencies, and those that are built into the dashboard, with the licences that they state.

## With obligations beyond keeping the notice

| Part | Licence | Where, and what follows |
|---|---|---|
| FFmpeg, within \`@seydx/node-av-*\` (prebuilt for \`node-av\`) | GPL-3.0-or-later | Its own configuration says \`--enable-gpl --enable-version3\`, with x264 and x265. Parts that are under the LGPL on their own (the libraries of FFmpeg, LAME, GMP, libiconv, chromaprint) are under the GPL in this binary. It also has libfdk-aac, whose licence grants no patents and cannot be kept together with the GPL: the binary may be used, and may not be passed on. The package states MIT, which is the licence of the wrapper. Each installs it by npm for their own use. It is loaded by the decoding processes of delivery, which speak with the service over pipes, and by the simulator. \`deploy/Dockerfile\` removes it: the image does not hold \`@mediabunny/server\`, \`node-av\` and \`@seydx/*\`. |
| FFmpeg, Debian's package \`ffmpeg\` with the libraries that it needs, in the image | GPL-2.0-or-later, some parts under others | Not from \`package-lock.json\`: \`deploy/Dockerfile\` installs it. Delivery and the simulator start it as a program of its own. Who passes the image on also offers the source of these packages of Debian (\`apt-get source\`, snapshot.debian.org); their notices are in \`/usr/share/doc/*/copyright\`. |
| OpenSSL, dav1d, libvpx, opus and others, within the binary of \`node-av\` | Apache-2.0, BSD and others | Their notices are kept with the binary. |
| Skia, within \`@napi-rs/canvas-*\` | BSD-3-Clause | Its notice is kept. |
`;

const DASHBOARD = "clients/dashboard/src";
const IMPORT = /(?:from|import) "((?:@[^/"]+\/)?[^./#"][^/"]*)/g;

/** The packages whose code the dashboard's build can contain, as keys of the lockfile. */
function builtIntoDashboard({ packages }) {
  const files = readdirSync(DASHBOARD, { recursive: true }).filter((file) => /\.tsx?$/.test(file));
  const texts = files.map((file) => readFileSync(join(DASHBOARD, file), "utf8"));
  const names = texts.flatMap((text) => [...text.matchAll(IMPORT)].map(([, name]) => name));
  const found = new Set();
  const add = (name, from) => {
    const nested = `${from}/node_modules/${name}`;
    const path = nested in packages ? nested : `node_modules/${name}`;
    // What only describes types is no part of a build.
    if (found.has(path) || !(path in packages) || name.startsWith("@types/")) return;
    found.add(path);
    for (const needed of Object.keys(packages[path].dependencies ?? {})) add(needed, path);
  };
  for (const name of names) add(name, "");
  return found;
}

/** The distributed packages as { name, version, license }, in order of name. */
function distributedPackages() {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const built = builtIntoDashboard(lock);
  const found = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path !== "" && (!dev || built.has(path)) && !link)
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
  const prefix = Object.keys(STATED_ELSEWHERE).find((one) => name.startsWith(one));
  return prefix === undefined ? undefined : STATED_ELSEWHERE[prefix];
}

/** The text of THIRD_PARTY.md, and the packages whose licence is unknown or is not a permissive one nor MPL-2.0. */
export function thirdParty() {
  const packages = distributedPackages();
  const isMpl = ({ license }) => license === "MPL-2.0";
  const refused = packages.filter((one) => !isMpl(one) && !PERMISSIVE.has(one.license));
  const mpl = packages.filter(isMpl).map(({ name }) => `\`${name}\``);
  const row = `| ${mpl.join(", ")} | MPL-2.0 | Used unchanged. Who changes one of their files publishes that file. |\n`;
  const licenses = [...new Set(packages.map(({ license }) => license))].sort(inOrder);
  const sections = licenses.map((license) => {
    const own = packages.filter((one) => one.license === license);
    const lines = own.map(({ name, version }) => `- ${name} ${version}`);
    return `### ${license}\n\n${lines.join("\n")}\n`;
  });
  const text = `${INTRODUCTION}${row}\n## All packages\n\n${sections.join("\n")}`;
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

if (isMain(import.meta.url)) {
  writeFileSync(TARGET, thirdParty().text);
}
