/** Serves the requests of one connection one after another, so that a client gains nothing by sending many at once. */
import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";

/** Has `server` call its only listener of requests when the answers to those before have gone out. */
export function serveInTurn(server: Server): void {
  const [serve] = server.listeners("request") as [RequestListener];
  /** How many requests of a connection have come before their turn. Nothing more is read of it meanwhile. */
  const early = new WeakMap<Socket, number>();
  server.off("request", serve).on("request", (request, response) => {
    if (response.socket) return serve(request, response);
    const { socket } = request;
    early.set(socket, (early.get(socket) ?? 0) + 1);
    socket.pause();
    return response.once("socket", () => {
      const left = (early.get(socket) ?? 0) - 1;
      early.set(socket, left);
      if (left === 0) socket.resume();
      if (!socket.destroyed) serve(request, response);
    });
  });
}
