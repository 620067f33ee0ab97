/** The gateway between fakes that succeed, so that only the gateway can refuse a request; its key has no rate limits. */
import { beforeAll, beforeEach } from "vitest";
import { catalogModels } from "../../gateway/backends.ts";
import { useHarness } from "../../gateway/harness.ts";
import { forTests } from "../../support/for-tests.ts";
import { startHttp } from "../../support/http-server.ts";

/** With 0, answers had no header RateLimit. */
const NO_RATE_LIMIT = 1_000_000_000;

export function useGateway() {
  const storedFiles = forTests(() => startHttp((_request, response) => response.end("bytes")));
  const harness = useHarness(async () => ({
    imageWaitSeconds: 0.3,
    config: { deliveryAssetsUrls: [`${storedFiles.url}/assets`] },
  }));
  beforeAll(async () => {
    const limits = { createsPerMinute: NO_RATE_LIMIT, readsPerMinute: NO_RATE_LIMIT };
    await harness.accounts.setLimits({ accountId: harness.key.accountId, ...limits });
  });
  beforeEach(() => {
    harness.backends.listModels = () => ({ models: catalogModels });
  });
  return harness;
}
