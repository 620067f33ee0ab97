/** Starts worker processes on the databases of a harness. */
import { inject } from "vitest";
import { openIdentities } from "../../services/ops/setup/identities.ts";
import type { Harness } from "../support/generation-harness.ts";
import { startProcess, type Running } from "../support/process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Starts one worker with these settings; resolves when it is ready. */
export type StartWorker = ((env: Record<string, string>) => Promise<Running>) & AsyncDisposable;

/** Disposal kills the workers. */
export async function workerStarter(h: Harness, upstreamUrl: string): Promise<StartWorker> {
  const stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const identities = await openIdentities(directory);
  const start = async (env: Record<string, string>) => {
    const worker = startProcess("test/crash/worker-process.ts", {
      DATABASE_URL: h.urls.generation.url,
      BILLING_DATABASE_URL: h.urls.billing.url,
      NATS_URL: inject("natsUrl"),
      SERVICE_KEY_FILE: identities.keyFile("generation"),
      TRUSTED_KEYS_FILE: identities.trustedFile,
      BILLING_URL: "http://127.0.0.1:1",
      DELIVERY_URL: "http://127.0.0.1:1",
      SIMULATOR_URL: "http://127.0.0.1:1",
      LIVE_PROVIDER: "simulator",
      LOG_LEVEL: "warn",
      UPSTREAM_URL: upstreamUrl,
      ...env,
    });
    stack.defer(async () => void (await worker.end("SIGKILL")));
    await worker.says("ready");
    return worker;
  };
  return Object.assign(start, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}
