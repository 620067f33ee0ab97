/** `node scripts/debian-programs.mjs`: installs Debian's Chromium, ffmpeg and Python for tests, if they are missing and it may. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Packages by where tests look for their program, and what becomes of those tests without it. */
const PROGRAMS = {
  "chromium-headless-shell": {
    path: process.env.CHROMIUM_PATH || "/usr/bin/chromium-headless-shell",
    without: "the browser tests fail and say what to do",
  },
  ffmpeg: { path: "/usr/bin/ffmpeg", without: "videos are tested with the npm library only" },
  python3: { path: "/usr/bin/python3", without: "the Python client is not tested" },
};

const isMissing = (name) => !existsSync(PROGRAMS[name].path);
// A Chromium of one's own is not replaced.
const wanted = Object.keys(PROGRAMS).filter(
  (name) => isMissing(name) && !(name === "chromium-headless-shell" && process.env.CHROMIUM_PATH),
);
const mayInstall = process.geteuid?.() === 0 && existsSync("/usr/bin/apt-get");
let reason = "";
if (wanted.length > 0 && mayInstall) {
  const names = wanted.join(" and ");
  process.stdout.write(`Installing Debian's ${names} for the tests; this happens once.\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args) => spawnSync("apt-get", args, { env, encoding: "utf8" });
  apt("update");
  const { status, stderr } = apt("install", "-y", "--no-install-recommends", ...wanted);
  if (status !== 0) reason = stderr;
}
// Not an error here: only some tests need them.
for (const name of Object.keys(PROGRAMS).filter(isMissing)) {
  process.stderr.write(`There is no ${name}: ${PROGRAMS[name].without}. ${reason}\n`);
}
