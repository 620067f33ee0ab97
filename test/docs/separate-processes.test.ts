/** The commands of docs/separate-processes.md, in one shell, as they are on the page, on free ports and in a temporary folder. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PAGE = "docs/separate-processes.md";

/** Ends what is left behind by a command that fails, or takes longer than the test waits. */
const CLEAN_UP = `trap '{ kill $PIDS; $AS $BIN/pg_ctl -D $DIR/postgres -m immediate stop; } >/dev/null 2>&1 || true' EXIT; trap 'exit 1' TERM\n`;

/** The line of a page that sets its folder and its ports. */
const SETTINGS = /^export DIR=\S+((?: \w+=\d+)+)$/m;

it(`makes a video with each service in a process of its own by the commands of ${PAGE}`, async () => {
  await using directory = await temporaryFolder();
  const commands = [...(await readFile(PAGE, "utf8")).matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, block = ""]) => block)
    .join("");
  expect(commands).toMatch(SETTINGS);
  const [settings = "", ports = ""] = SETTINGS.exec(commands) ?? [];
  const chosen = [];
  for (const name of ports.trim().split(" "))
    chosen.push(name.replace(/\d+$/, String(await freePort())));
  const script = commands.replace(settings, `export DIR=${directory.path} ${chosen.join(" ")}`);
  const fast = { SIMULATOR_RENDER: "fixture", SIMULATOR_PACE_MS: "0", LAME_DUCK_MS: "0" };
  const { stdout } = await promisify(execFile)("sh", ["-exc", CLEAN_UP + script], {
    env: { ...process.env, ...fast },
    timeout: 590_000,
  });
  expect(stdout).toMatch(/"status": ?"success"/);
  expect(stdout).toMatch(/ [1-9]\d{4,} .*video\.mp4/);
}, 600_000);
