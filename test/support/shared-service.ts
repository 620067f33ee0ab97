/** One whole service for all test files that ask nothing special of it: each start costs ten seconds of processor. */
import { inject } from "vitest";
import { startHttp } from "./http-server.ts";
import { operatorOf, type Operator } from "./operator.ts";
import { standaloneIn, type WholeService } from "./whole-service.ts";

/** What is not the same for all who use it, they make: accounts, keys, webhook receivers. */
export type SharedService = Operator & Pick<WholeService, "url" | "rpcUrls">;

type Started = Pick<WholeService, "url" | "rpcUrls" | "dataDir">;

/** The shared service, which starts when the first file of the run asks for it. */
export async function sharedService(): Promise<SharedService> {
  const response = await fetch(inject("sharedServiceUrl"), { method: "POST" });
  if (!response.ok) throw new Error(await response.text());
  const { url, rpcUrls, dataDir } = (await response.json()) as Started;
  return { url, rpcUrls, ...operatorOf({ DATA_DIR: dataDir }) };
}

/** Starts it in `dataDir` with the first POST to `url`. */
export async function shareService(dataDir: string): Promise<AsyncDisposable & { url: string }> {
  let starting: Promise<WholeService> | undefined;
  const server = await startHttp((_request, response) => {
    starting ??= standaloneIn(dataDir);
    starting.then(
      ({ url, rpcUrls }) =>
        response.end(JSON.stringify({ url, rpcUrls, dataDir } satisfies Started)),
      (error: Error) => response.writeHead(500).end(`no shared service: ${error.message}`),
    );
  });
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      const service = await starting?.catch(() => undefined);
      await service?.[Symbol.asyncDispose]();
    },
  };
}
