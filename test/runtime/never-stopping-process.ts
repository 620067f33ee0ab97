/** A service whose stop never ends. */
import { runService } from "#runtime/service/service.ts";

setInterval(() => {}, 60_000);
const service = { [Symbol.asyncDispose]: () => new Promise<void>(() => {}) };
await runService(
  () => ({ drainMs: 0 }),
  async () => service,
);
