/** `node scripts/chromium.mjs`: installs Debian's Chromium for the browser tests if none is there and it may. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

const isInstalled = existsSync(process.env.CHROMIUM_PATH || DEBIAN_CHROMIUM);
const mayInstall = process.geteuid?.() === 0 && existsSync("/usr/bin/apt-get");
if (!isInstalled && !process.env.CHROMIUM_PATH && mayInstall) {
  process.stdout.write("Installing Debian's Chromium for the browser tests; this happens once.\n");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args) => spawnSync("apt-get", args, { env, encoding: "utf8" });
  apt("update");
  const { status, stderr } = apt("install", "-y", "--no-install-recommends", "chromium");
  // Not an error here: only the browser tests need it, and they explain what to do.
  if (status !== 0) process.stderr.write(`Chromium could not be installed: ${stderr}\n`);
}
