/** The receivers of the delivery benchmark, in a process of their own: one that responds and one that never does. */
import { startHttp } from "../support/http-server.ts";

const ANY = "0.0.0.0";
const healthy = await startHttp((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(204).end();
    if (request.url === "/reported") process.send?.(request.headers["webhook-id"]);
  });
}, ANY);
const dead = await startHttp(() => undefined, ANY);
process.on("disconnect", () => process.exit());
process.send?.({ healthy: healthy.port, dead: dead.port });
