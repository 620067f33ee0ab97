/** CheckUpstreams: asks each configured upstream whether it would serve this service. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "./deps.ts";
import type { Checked, Provider } from "../providers/provider.ts";
import { SIMULATOR } from "../upstreams/upstreams.ts";
import type { ConfiguredUpstream, MissingCredential } from "../upstreams/open-upstreams.ts";
import { pauseName } from "../domain/pause-rules.ts";
import { listPauses } from "../store/pauses.ts";

const CHECK_TIMEOUT_MS = 10_000;
const NO_KEY = { ok: false, fault: "auth", detail: "its credential has no key here" } as const;

/** It serves test mode, and is in no file. */
const SIMULATED = {
  name: SIMULATOR,
  model: "",
  providerName: SIMULATOR,
  upstreamModel: "",
  credential: "",
};

/**
 * Answers within 10 s with one entry for every upstream in the file and one for the simulator, its state and what its
 * upstream answered to a harmless request. An upstream that does not answer is `unavailable`, not an error of this RPC.
 */
export function checkUpstreams(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["checkUpstreams"] {
  return async (_request, { signal }) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    // Upstreams of one account share their `check`, so that each account is checked once.
    const checks = new Map<Provider["check"], Promise<Checked>>();
    const checkOnce = ({ check }: Provider): Promise<Checked> => {
      const checked = checks.get(check) ?? check(limited).catch(unanswered);
      checks.set(check, checked);
      return checked;
    };
    const { all, missingCredentials } = deps.configuredUpstreams;
    const paused = new Set((await listPauses(deps.sql, deps.clock.now())).map(({ name }) => name));
    const checked = all.map(async (upstream) =>
      entryOf(upstream, stateOf(upstream, paused), await checkOnce(upstream.provider)),
    );
    const withoutKey = missingCredentials.map((one) => entryOf(one, "without_key", NO_KEY));
    const simulator = deps.upstreams.byName(SIMULATOR);
    const simulated = simulator
      ? [entryOf(SIMULATED, "open", await checkOnce(simulator.provider))]
      : [];
    return { upstreams: [...(await Promise.all(checked)), ...withoutKey, ...simulated] };
  };
}

function entryOf(upstream: MissingCredential, state: string, checked: Checked) {
  const { name, model, providerName, upstreamModel, credential } = upstream;
  return {
    upstream: name,
    model,
    provider: providerName,
    upstreamModel,
    credential,
    state,
    ok: checked.ok,
    fault: checked.ok ? "" : checked.fault,
    detail: checked.ok ? "" : checked.detail,
  };
}

function stateOf(upstream: ConfiguredUpstream, paused: ReadonlySet<string>): string {
  if (!upstream.isEnabled) return "disabled";
  const { name, credential } = upstream;
  const names = [pauseName.upstream(name), pauseName.credential(credential)];
  return names.some((one) => paused.has(one)) ? "paused" : "open";
}

function unanswered(error: unknown): Checked {
  return { ok: false, fault: "unavailable", detail: (error as Error).message };
}
