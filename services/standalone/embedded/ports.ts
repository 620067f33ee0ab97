/** Finds ports for the parts that nobody outside of this machine talks to. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { StartError } from "../start-error.ts";

const LOWEST = 20_000;
/** From here on the operating system gives ports to outgoing connections (Linux: 32768), which could take a free one. */
const BEYOND = 32_000;
const TRIES = 100;

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = await openOnce(randomInt(LOWEST, BEYOND)).catch(() => undefined);
    if (port !== undefined) return port;
  }
  return openOnce(0);
}

/** Throws StartError where something listens on the port already. */
export async function checkPortIsFree(port: number): Promise<void> {
  await openOnce(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE") {
      throw new StartError(
        `Port ${port} is taken: stop what listens there, or choose another with PORT=….`,
      );
    }
    throw new StartError(`Port ${port} cannot be opened: ${error.message}`);
  });
}

async function openOnce(port: number): Promise<number> {
  const server = createServer();
  const opened = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      if (typeof address === "object" && address) resolve(address.port);
      else reject(new Error("the listener has no port"));
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return opened;
}
