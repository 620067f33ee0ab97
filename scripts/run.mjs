/** `node scripts/run.mjs FILE ARGUMENTS…`: sets up, then runs FILE with the project's own Node in this process's place. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { pinnedNode, setUpOrExplain } from "./setup.mjs";

const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP"];

const natsServer = await setUpOrExplain();
if (natsServer === undefined) {
  process.exitCode = 1;
} else {
  const env = { ...process.env, NATS_SERVER: natsServer };
  const args = process.argv.slice(2);
  if (process.execve) process.execve(pinnedNode(), [pinnedNode(), ...args], env);
  else runBeside(pinnedNode(), args, env);
}

/** An older Node cannot be replaced: it stays, passes signals on, and ends as the other one does. */
function runBeside(node, args, env) {
  const child = spawn(node, args, { stdio: "inherit", env });
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      // A terminal's Ctrl-C has reached both already; a second one would mean "at once".
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
