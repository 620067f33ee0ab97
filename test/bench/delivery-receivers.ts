/** The receivers of the delivery benchmark, in a process of their own: one that responds and one that never does. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const healthy = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(204).end();
    if (request.url === "/reported") process.send?.(request.headers["webhook-id"]);
  });
});
const dead = createServer(() => undefined);
const portOf = (server: typeof healthy) => (server.address() as AddressInfo).port;

healthy.listen(0, "0.0.0.0", () => {
  dead.listen(0, "0.0.0.0", () => process.send?.({ healthy: portOf(healthy), dead: portOf(dead) }));
});
process.on("disconnect", () => process.exit());
