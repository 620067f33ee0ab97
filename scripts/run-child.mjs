/** Runs a program to its end, without input, and collects what it writes. */
import { spawn } from "node:child_process";

/**
 * `output` is both of its streams in the order of writing, or why it could not be run.
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function runChild(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ ok: false, output: error.message }));
    child.on("close", (code, signal) => {
      const ok = code === 0;
      resolve({ ok, output: ok || output ? output : `${file} ended with ${signal ?? code}` });
    });
  });
}

/**
 * Like it, but throws an error that begins with `fault` if it fails.
 * @param {string} fault
 * @param {Parameters<typeof runChild>} call
 */
export async function mustRun(fault, ...call) {
  const { ok, output } = await runChild(...call);
  if (!ok) throw new Error(`${fault}\n${firstAndLastLines(output)}`);
}

const MAX_SHOWN_LINES = 8;

/** npm reports its reason first; a failed install script and other tools report it last. */
function firstAndLastLines(output) {
  const lines = output.split("\n").filter((line) => !/^(npm error)?\s*$/.test(line));
  if (lines.length <= 2 * MAX_SHOWN_LINES) return lines.join("\n");
  return [...lines.slice(0, MAX_SHOWN_LINES), "…", ...lines.slice(-MAX_SHOWN_LINES)].join("\n");
}
