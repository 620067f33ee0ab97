/** The generation service as a process that a test can kill, with billing in the same process. */
import { createRouterTransport } from "@connectrpc/connect";
import { systemClock } from "#runtime/clock.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { runService } from "#runtime/service/service.ts";
import { readConfig } from "../../services/generation/config.ts";
import type { Provider } from "../../services/generation/providers/provider.ts";
import { createVendorApi } from "../../services/generation/providers/shared/outcome.ts";
import { start } from "../../services/generation/service.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { idleDelivery } from "../support/generation-deps.ts";

const POLL_AFTER_MS = 300;
const { env } = process;
const sql = connectPostgres(
  { url: env["BILLING_DATABASE_URL"] ?? "", maxConnections: 4 },
  "billing",
);
const billing = createRouterTransport(billingRoutes({ sql, clock: systemClock }));

await runService(readConfig, (config) =>
  start(config, {
    simulator: recordingProvider(env["UPSTREAM_URL"] ?? ""),
    peers: { billing: () => billing, delivery: idleDelivery },
  }),
);
await sql.end();

type JobView = { id: string; done: boolean; isCanceled: boolean };

/** The provider of the recording upstream, on the HTTP client of all providers. */
function recordingProvider(url: string): Provider {
  const api = createVendorApi(
    { baseUrl: url, clock: systemClock, headers: {} },
    { faultOf: () => ({}), refusals: [] },
  );
  const call = async <T>(method: "GET" | "DELETE", path: string, signal: AbortSignal) => {
    const { status, body } = await api.call({ method, path }, signal);
    return { status, view: body as T };
  };
  return {
    submit: ({ token }, signal) => api.submit({ path: "/", json: { token } }, signal),
    find: async ({ token }, signal) => {
      const { view } = await call<JobView[]>("GET", `/?token=${encodeURIComponent(token)}`, signal);
      return view[0]?.id;
    },
    poll: async (upstreamId, signal) => {
      const { status, view } = await call<JobView>("GET", `/${upstreamId}`, signal);
      if (status === 404) return { kind: "gone" };
      if (view.isCanceled) return { kind: "stopped" };
      return view.done
        ? { kind: "succeeded", sources: [{ url: `${url}/file`, configuredOrigin: true }] }
        : { kind: "running", pollAfterMs: POLL_AFTER_MS };
    },
    cancel: async (upstreamId, signal) =>
      (await call("DELETE", `/${upstreamId}`, signal)).status === 200,
    check: async () => ({ ok: true }),
  };
}
