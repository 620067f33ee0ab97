/** Upstreams opened from a file of a test, on fakes and with the adapters that the service has. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { ADAPTERS } from "../../../services/generation/upstreams/adapters.ts";
import { observedCalls } from "../../../services/generation/upstreams/observed.ts";
import { openUpstreams } from "../../../services/generation/upstreams/open-upstreams.ts";
import type { Harness } from "../../support/generation-harness.ts";

/** Writes `file` into `folder`. `keys` are those of its credentials. */
export function upstreamsOfFile(
  { deps }: Harness,
  folder: string,
  file: object,
  keys: Record<string, string>,
) {
  const path = join(folder, "upstreams.json");
  writeFileSync(path, JSON.stringify(file));
  const { clock, log, metrics, catalog } = deps;
  return openUpstreams(
    { path, keys: { keys, callbackSecrets: {}, directory: undefined } },
    {
      clock,
      log,
      metrics,
      random: () => 0.5,
      adapters: ADAPTERS,
      callbackUrl: undefined,
      isModel: (id) => catalog.find(id) !== undefined,
      observe: observedCalls({ observe: () => {} }, NO_TRACER),
    },
  );
}
