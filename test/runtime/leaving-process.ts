/** A service that stops at once, and leaves open what would keep its process. */
import { runService } from "#runtime/service/service.ts";

setInterval(() => {}, 60_000);
const service = { [Symbol.asyncDispose]: async () => {} };
await runService(
  () => ({ drainMs: 60_000 }),
  async () => service,
);
