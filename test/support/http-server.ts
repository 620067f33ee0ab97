/** A temporary HTTP server, on a free port of 127.0.0.1 unless another address or port is given. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export async function startHttp(listener: RequestListener, address = "127.0.0.1", wanted = 0) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(wanted, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
