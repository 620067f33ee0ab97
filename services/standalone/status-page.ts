/** `ops status` as a page of its own port, which only programs of this machine reach. */
import { createServer, type ServerResponse } from "node:http";
import { systemClock } from "#runtime/clock.ts";
import { listenAt } from "#runtime/listen.ts";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import { statusScreen } from "../ops/commands/status.ts";
import { scrapeAll } from "../ops/status/scrape.ts";
import { statusOf } from "../ops/status/status.ts";

const REFRESH_SECONDS = "5";
/** Refuses pages of other sites whose name resolves to this machine (DNS rebinding): their `Host` is that name. */
const LOCAL = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/;

/** The page has a port of its own, because a proxy before the public port may let anybody in. `port` 0 takes a free one. */
export async function openStatusPage(
  rpcUrls: Record<ServiceName, PeerUrls>,
  port: number,
): Promise<AsyncDisposable & { url: string }> {
  const answer = async (response: ServerResponse) => {
    const status = statusOf(await scrapeAll(rpcUrls, undefined), systemClock.now());
    const type = "text/plain; charset=utf-8";
    response.writeHead(200, { "content-type": type, refresh: REFRESH_SECONDS });
    response.end(statusScreen(status));
  };
  const server = createServer(({ url, headers }, response) => {
    if (LOCAL.test(headers.host ?? "") && url === "/status") void answer(response);
    else response.writeHead(404).end();
  });
  const bound = await listenAt(server, ["HOST", "127.0.0.1"], ["STATUS_PORT", port]);
  return {
    url: `http://127.0.0.1:${bound}/status`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
