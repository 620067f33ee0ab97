/** `node scripts/chromium.mjs`: makes sure that the browser tests have a Chromium; installs Debian's where it may. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

const isThere = existsSync(process.env.CHROMIUM_PATH || DEBIAN_CHROMIUM);
const mayInstall = process.geteuid?.() === 0 && existsSync("/usr/bin/apt-get");
if (!isThere && !process.env.CHROMIUM_PATH && mayInstall) {
  process.stdout.write("Installing Debian's Chromium for the browser tests; this happens once.\n");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args) => spawnSync("apt-get", args, { env, encoding: "utf8" });
  apt("update");
  const { status, stderr } = apt("install", "-y", "--no-install-recommends", "chromium");
  // The tests themselves say what to do where there is none: the others can run without it.
  if (status !== 0) process.stderr.write(`Chromium could not be installed: ${stderr}\n`);
}
