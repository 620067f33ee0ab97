/** Says of a call that a service does not know which releases meet, instead of what its HTTP server answered. */
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { ServiceName } from "#runtime/service/service.ts";
import { VERSION } from "#runtime/version.ts";
import type { OpsConfig } from "./config.ts";
import { scrapeAll } from "../status/scrape.ts";
import { statusOf } from "../status/status.ts";

type Reach = Pick<OpsConfig, "urls" | "tls">;

export function unknownCallInterceptor(service: ServiceName, reach: Reach): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (!isUnknownCall(error)) throw error;
      const release = await releaseOf(service, reach);
      const unknown = `${service} does not know the call ${request.method.name}`;
      const message =
        release === `release ${VERSION}`
          ? `${unknown}, although it is of the same release: look whether OPS_ENDPOINTS_FILE has another service's address for it`
          : `${unknown}: it runs ${release}, this ops is of release ${VERSION}. ` +
            `Use the ops of the release that ${service} runs, or replace its replicas first`;
      throw new ConnectError(message, Code.Unimplemented, undefined, undefined, error);
    }
  };
}

/** The answer of an HTTP server that knows no such path counts as a fault of the connection, which it is the cause of. */
function isUnknownCall(error: unknown): boolean {
  const { code, cause } = ConnectError.from(error);
  return [code, (cause as { code?: unknown } | undefined)?.code].includes(Code.Unimplemented);
}

async function releaseOf(service: ServiceName, { urls, tls }: Reach): Promise<string> {
  const replicas = await scrapeAll({ [service]: urls[service] }, tls);
  const versions = statusOf(replicas, new Date()).services.flatMap((one) => one.versions);
  return versions.length > 0
    ? `release ${versions.join(" and ")}`
    : "a release that it does not tell";
}
