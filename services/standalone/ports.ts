/** Finds ports for the parts that nobody outside of this machine talks to. */
import { createServer } from "node:net";
import { StartError } from "./start-error.ts";

/** A port of 127.0.0.1 that was free a moment ago, chosen by the operating system. */
export async function freePort(): Promise<number> {
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
