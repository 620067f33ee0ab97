/** `node scripts/test-tools.mjs`: fetches what tests need and npm does not bring: what is installed first, the others at a time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Installing locks the lists of packages that the others read. */
await runScript("debian-programs");
const unpacked = ["pgbouncer", "haproxy", "prometheus"];
await Promise.all([
  runScript("deploy-tools"),
  ...unpacked.map((name) => runScript("debian-package", name)),
]);

/** Each says what it could not fetch: the tests that need it are skipped. */
async function runScript(name, ...args) {
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  await once(spawn(process.execPath, [script, ...args], { stdio: "inherit" }), "exit");
}
