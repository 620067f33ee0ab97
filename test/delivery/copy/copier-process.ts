/** Delivery in its own process, for tests that kill it: at a given point of an upload it prints "stopped" and hangs. */
import { flushCompileCache } from "node:module";
import { runService } from "#runtime/service/service.ts";
import type { ObjectStore } from "../../../services/delivery/storage/object-store.ts";
import { readConfig } from "../../../services/delivery/config.ts";
import { PATIENT } from "../media/patient-decoder.ts";
import { start } from "../../../services/delivery/service.ts";

const { STOP_IN: stopIn, STOP_AT_BYTES: stopAtBytes = "0" } = process.env;

async function stop(): Promise<void> {
  process.stdout.write("stopped\n");
  await new Promise(() => {});
}

async function* stoppedAt(body: AsyncIterable<Uint8Array>, bytes: number) {
  let passed = 0;
  for await (const chunk of body) {
    if (passed >= bytes) await stop();
    passed += chunk.byteLength;
    yield chunk;
  }
}

/** Stops within the body of a key with the suffix STOP_IN; if the body is shorter, after storing it. */
const stopping = (store: ObjectStore): ObjectStore => ({
  ...store,
  async put(key, body, bytes) {
    if (stopIn === undefined || !key.endsWith(stopIn)) return store.put(key, body, bytes);
    const stored = await store.put(key, stoppedAt(body, Number(stopAtBytes)), bytes);
    await stop();
    return stored;
  },
});

await runService(readConfig, async (config) => {
  const service = await start(config, { wrapStore: stopping, decoder: PATIENT });
  // A killed process would not write its compile cache.
  flushCompileCache();
  const { rpcUrl } = service;
  process.stdout.write(`${JSON.stringify({ rpcUrl })}\n`);
  return service;
});
