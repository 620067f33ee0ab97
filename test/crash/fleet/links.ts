/** Connections between the parts of a fleet, each through a proxy that can cut it or make it silent. */
import type { Through } from "../../support/compose/addresses.ts";
import { startProxy, type TcpProxy } from "../../support/tcp-proxy.ts";

export function createLinks() {
  const links = new Map<string, ReturnType<typeof openLink>>();
  const redirected = new Map<string, number>();
  return {
    all: () => [...links.values()],
    /** Puts a link between a caller and the port that it would be given. */
    through: (async (from, to, port) => {
      const name = `${from}>${to}`;
      const link = links.get(name) ?? openLink(from, to);
      links.set(name, link);
      return link.listen(() => redirected.get(to) ?? port, port);
    }) satisfies Through,
    /** From now on, links to `part` lead to another port of this machine. */
    redirect: (part: string, port: number) => void redirected.set(part, port),
    async [Symbol.asyncDispose]() {
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
}

/** All connections from one part to another. */
function openLink(from: string, to: string) {
  const proxies = new Map<number, Promise<TcpProxy>>();
  const each = async (change: (proxy: TcpProxy) => unknown) => {
    await Promise.all([...proxies.values()].map(async (proxy) => change(await proxy)));
  };
  return {
    from,
    to,
    /** Resets the connections and refuses new ones. */
    cut: () => each((proxy) => proxy.setDown(true)),
    /** Bytes stop in both directions; connections stay open, and new ones are accepted unless `onlyOpen`. */
    silence: (onlyOpen: boolean) => each((proxy) => (onlyOpen ? proxy.silence() : proxy.hang())),
    heal: () => each((proxy) => proxy.heal()),
    close: () => each((proxy) => proxy[Symbol.asyncDispose]()),
    /** The port of the proxy that leads to `port`. */
    async listen(target: () => number, port: number) {
      const proxy = proxies.get(port) ?? startProxy(() => ({ host: "127.0.0.1", port: target() }));
      proxies.set(port, proxy);
      return (await proxy).port;
    },
  };
}
