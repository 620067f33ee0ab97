/** CheckProviders: would the upstream of each configured route serve us? */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import type { Checked, Provider } from "../providers/provider.ts";
import type { UpstreamStatus } from "../upstreams/open-upstreams.ts";

const CHECK_TIMEOUT_MS = 10_000;
const NO_KEY = { ok: false, fault: "auth", detail: "its credential has no key here" } as const;

export function checkProviders(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["checkProviders"] {
  return async (_request, { signal }) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    // Routes of one account ask once: they have its `check` in common.
    const asked = new Map<Provider["check"], Promise<Checked>>();
    const ask = ({ check }: Provider): Promise<Checked> => {
      const checked = asked.get(check) ?? check(limited).catch(unanswered);
      asked.set(check, checked);
      return checked;
    };
    const known = deps.configuredUpstreams.status().map(async (standing) => {
      const { upstream: route } = standing;
      return shown(route, stateOf(standing), await ask(route.provider));
    });
    const keyless = deps.configuredUpstreams
      .missingCredentials()
      .map((route) => shown(route, "closed", NO_KEY));
    return { routes: [...(await Promise.all(known)), ...keyless] };
  };
}

type Named = Pick<
  UpstreamStatus["upstream"],
  "name" | "model" | "adapter" | "upstreamModel" | "credential"
>;

function shown(route: Named, state: string, checked: Checked) {
  const { name, model, adapter, upstreamModel, credential } = route;
  return {
    route: name,
    model,
    provider: adapter,
    upstreamModel,
    credential,
    state,
    ok: checked.ok,
    fault: checked.ok ? "" : checked.fault,
    detail: checked.ok ? "" : checked.detail,
  };
}

function stateOf({
  upstream: route,
  suspension: closure,
  isCircuitClosed,
}: UpstreamStatus): string {
  if (!route.isEnabled) return "disabled";
  if (closure) return "closed";
  return isCircuitClosed ? "open" : "broken";
}

function unanswered(error: unknown): Checked {
  return { ok: false, fault: "unavailable", detail: (error as Error).message };
}
