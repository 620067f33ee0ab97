/** Runs a NATS server with JetStream as a child process. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { locateNatsServer } from "../../../scripts/nats-binary.mjs";
import { readOrCreateSecret } from "../data-folder/secrets.ts";
import { StartError } from "../settings/start-error.ts";
import { startServer, type ServerOptions } from "./process.ts";

const USER = "media";

/** Resolves when the server accepts connections; throws StartError with the reason otherwise. */
export async function startNats(options: ServerOptions) {
  const { port, log } = options;
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const configFile = join(directory, "nats.conf");
  const password = await readOrCreateSecret(join(directory, "password"));
  const config = configText({ directory, port, password });
  await writeFile(configFile, config, { mode: 0o600 });
  const server = await startServer(
    {
      name: "NATS",
      file: findBinary(),
      args: ["-c", configFile],
      deathSignal: "KILL",
      port,
      ready: /Server is ready/,
      stopSignal: "SIGTERM",
    },
    log,
  );
  // The URL includes user and password, which stay the same for a folder.
  return { ...server, url: `nats://${USER}:${password}@127.0.0.1:${port}` };
}

function findBinary(): string {
  try {
    const found = locateNatsServer();
    if (found !== undefined) return found;
  } catch (error) {
    throw new StartError((error as Error).message);
  }
  throw new StartError("There is no NATS server: run `node scripts/setup.mjs`, which fetches one.");
}

/** Uses only settings that version 2.9 has, because Debian packages that version. */
function configText(settings: { directory: string; port: number; password: string }): string {
  const text = JSON.stringify;
  return [
    `host: "127.0.0.1"`,
    `port: ${settings.port}`,
    `pid_file: ${text(join(settings.directory, "nats.pid"))}`,
    `authorization { user: ${USER}, password: ${text(settings.password)} }`,
    `jetstream { store_dir: ${text(settings.directory)}, max_mem: 64MB, max_file: 1GB }`,
    "",
  ].join("\n");
}
