/** Finds ports for the parts that nobody outside of this machine talks to. */
import { createServer } from "node:net";

/** A port of 127.0.0.1 that was free a moment ago, chosen by the operating system. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0, exclusive: true }, () => {
      const address = server.address();
      if (typeof address === "object" && address) resolve(address.port);
      else reject(new Error("the listener has no port"));
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
