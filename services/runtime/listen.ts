/** Opening of ports, with faults that name the variable to change. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { ConfigError } from "./env.ts";

/** Resolves once a port is open. A fault is a ConfigError of the variable to change: `port` when it is taken, else `host`. */
export async function asPort(host: string, port: string, opening: Promise<unknown>): Promise<void> {
  await opening.catch(({ code, message }: NodeJS.ErrnoException) => {
    const isTaken = code === "EADDRINUSE" || code === "EACCES";
    const wrong = isTaken
      ? `${port} must be another, such as ${port}=22000`
      : `${host} must be another`;
    throw new ConfigError([`${wrong}: ${message}`]);
  });
}

/** Listens at the host and the port that these variables have given. Resolves with the port; faults are those of `asPort`. */
export async function listenAt(server: Server, host: [string, string], port: [string, number]) {
  await asPort(host[0], port[0], once(server.listen(port[1], host[1]), "listening"));
  return (server.address() as AddressInfo).port;
}
