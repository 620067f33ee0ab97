/** Finds free ports for the embedded servers. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { succeeds } from "#runtime/clock.ts";

const MIN_PORT = 20_000;
/** The first port that is not used. From 32768 on, Linux gives ports to outgoing connections, which could take a free one. */
const END_PORT = 32_000;
const TRIES = 100;

/** The ports that this process has tried: whoever was given one of them may not have opened it yet. */
const tried = new Set<number>();

/** A free port of 127.0.0.1 that this process, and on Linux any other, was not given before. */
export async function freePort(choose = () => randomInt(MIN_PORT, END_PORT)): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = choose();
    if (tried.has(port)) continue;
    tried.add(port);
    if ((await claim(port)) && (await succeeds(openOnce(port)))) return port;
  }
  return openOnce(0);
}

/** False if another process has it. The mark is a socket that Linux removes with the process. */
async function claim(port: number): Promise<boolean> {
  const server = createServer().unref();
  server.listen({ path: `\0media-generation-port-${port}`, exclusive: true });
  return once(server, "listening").then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "EADDRINUSE",
  );
}

/** Opens a port of 127.0.0.1, 0 for any free one, and closes it again. Resolves with its number. */
export async function openOnce(port: number): Promise<number> {
  const server = createServer().listen({ host: "127.0.0.1", port, exclusive: true });
  await once(server, "listening");
  const { port: opened } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return opened;
}
