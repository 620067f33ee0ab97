/** The commands of docs/one-service.md, run in one shell as they are on the page, on free ports and in a temporary folder. */
import { execFile } from "node:child_process";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { freePort } from "../../services/standalone/embedded/ports.ts";

const run = promisify(execFile);

/** PostgreSQL refuses to run as root; the page says which user to take then. */
const NOBODY = 65_534;
const AS_NOBODY = `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups`;

/** Ends what is left behind by a command that fails, or takes longer than the test waits. */
const CLEAN_UP = `trap '{ kill $SERVICE; $AS $BIN/pg_ctl -D $DIR/postgres -m immediate stop; } >/dev/null 2>&1 || true' EXIT; trap 'exit 1' TERM\n`;

it("runs billing alone by the commands of docs/one-service.md", async () => {
  const page = await readFile("docs/one-service.md", "utf8");
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "one-service-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const [postgresPort, rpcPort] = [await freePort(), await freePort()];

  const commands = [...page.matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, block = ""]) => block)
    .join("");
  const settings = /^export DIR=.*$/m;
  expect(commands).toMatch(settings);
  const script = commands.replace(
    settings,
    `export DIR=${directory} PG_PORT=${postgresPort} RPC_PORT=${rpcPort}`,
  );

  const { stdout } = await run("sh", ["-ec", CLEAN_UP + script], {
    env: { ...process.env, LAME_DUCK_MS: "0", ...(isRoot ? { AS: AS_NOBODY } : {}) },
    timeout: 170_000,
  });
  expect(stdout).toContain('"available": "100000"');
  expect(stdout).toContain("TRANSACTION_TYPE_RECHARGE");
  expect(stdout).toContain("media_ready 1");
}, 180_000);
