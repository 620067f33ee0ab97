/** Measures the time from the end of a video at its upstream to the arrival of the client's webhook. */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { clientOf } from "../support/customer.ts";
import { temporaryFolder } from "../support/whole-service.ts";
import { startChild } from "./api-children.ts";
import { VIDEO } from "./api-rows.ts";
import { openAccounts, startService } from "./api-service.ts";
import type { CallbackOrder, CallbackReady, CallbackResult } from "./callback-servers.ts";
import { percentiles } from "./measure.ts";

const { values } = parseArgs({
  options: {
    videos: { type: "string", default: "300" },
    /** Creates a second, whatever the videos before do. */
    rate: { type: "string", default: "10" },
    /** The upstream only answers polls. */
    "no-callbacks": { type: "boolean", default: false },
  },
});
const VIDEOS = Number(values.videos);
const EVERY_MS = 1_000 / Number(values.rate);
/** Until all code is compiled. */
const WARM_UP = 20;

await using stack = new AsyncDisposableStack();
const servers = stack.use(startChild("callback-servers.ts"));
const { url, callbackSecret } = await servers.message<CallbackReady>();
const folder = stack.use(await temporaryFolder());
const port = String(await freePort());
const { service } = await startService({
  folder: folder.path,
  upstreamUrl: `${url}/v1`,
  provider: "replicate",
  isApart: false,
  env: {
    PORT: port,
    PROVIDER_CALLBACK_SECRET_BENCH: callbackSecret,
    ...(values["no-callbacks"] ? {} : { CALLBACK_BASE_URL: `http://localhost:${port}` }),
  },
});
stack.use(service);
const [key = ""] = await openAccounts(service, 1);
const client = clientOf(service.url, key);

const creates: Promise<unknown>[] = [];
for (let number = 0; number < WARM_UP + VIDEOS; number += 1) {
  const webhook_url = `${url}/hook/${number}`;
  creates.push(client.createVideo({ ...VIDEO, prompt: String(number), webhook_url }));
  await delay(EVERY_MS);
}
await Promise.all(creates);
servers.send({ webhooks: WARM_UP + VIDEOS } satisfies CallbackOrder);
const { latencies } = await servers.message<CallbackResult>();
const [p50, p99] = percentiles(latencies.slice(WARM_UP), [0.5, 0.99]).map(Math.round);
process.stdout.write(
  `${VIDEOS} videos, ${values.rate} a second: p50 ${p50} ms, p99 ${p99} ms from the upstream's end to the webhook\n`,
);
