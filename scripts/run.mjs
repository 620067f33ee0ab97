/** `node scripts/run.mjs FILE ARGUMENTS…`: sets up, then replaces this process with FILE on the project's Node. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { pinnedNode, setUpOrExplain } from "./setup.mjs";

const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP"];
/** Where Node keeps what it has compiled; later starts take half the time. */
const COMPILED = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));

const natsServer = await setUpOrExplain();
if (natsServer === undefined) {
  process.exitCode = 1;
} else {
  const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env, NATS_SERVER: natsServer };
  const args = process.argv.slice(2);
  if (process.execve) process.execve(pinnedNode(), [pinnedNode(), ...args], env);
  else runAsChild(pinnedNode(), args, env);
}

/** For older versions of Node, which cannot replace themselves: forwards signals and exits with the same code. */
function runAsChild(node, args, env) {
  const child = spawn(node, args, { stdio: "inherit", env });
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches both processes; a second signal would mean "stop at once".
      const fromTerminal = signal !== "SIGTERM" && process.stdin.isTTY;
      if (!fromTerminal) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    process.stderr.write(`${node} cannot be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
