/** Runs the commands of a page of docs/ in one shell, as they are on the page, on free ports and in a temporary folder. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect } from "vitest";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

/** Ends what is left behind by a command that fails, or takes longer than the test waits. */
const CLEAN_UP = `trap '{ kill $PIDS; $AS $BIN/pg_ctl -D $DIR/postgres -m immediate stop; } >/dev/null 2>&1 || true' EXIT; trap 'exit 1' TERM\n`;

/** The line of a page that sets its folder and its ports. */
const SETTINGS = /^export DIR=\S+((?: \w+=\d+)+)$/m;

/** Returns what the commands write to standard output. Rejects where one of them fails, and names it. */
export async function runPage(
  page: string,
  { env, timeoutMs }: { env: Readonly<Record<string, string>>; timeoutMs: number },
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());

  const commands = [...(await readFile(page, "utf8")).matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, block = ""]) => block)
    .join("");
  expect(commands).toMatch(SETTINGS);
  const [settings, ports = ""] = SETTINGS.exec(commands) ?? [];
  const names = ports.trim().split(" ");
  const chosen = [];
  for (const name of names) chosen.push(name.replace(/\d+$/, String(await freePort())));
  const script = commands.replace(settings ?? "", `export DIR=${directory} ${chosen.join(" ")}`);

  const { stdout } = await run("sh", ["-exc", CLEAN_UP + script], {
    env: { ...process.env, LAME_DUCK_MS: "0", ...env },
    timeout: timeoutMs,
  });
  return stdout;
}
