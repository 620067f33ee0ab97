/** `upstreams check`: checks each configured upstream; `upstreams try` makes a request to each. */
import type { UpstreamCheck } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { OpsCommand } from "./ops-command.ts";
import type { Fields } from "../session/print.ts";
import { tryUpstreamsCommand } from "./try-upstreams.ts";

const CHECKED: Fields<UpstreamCheck> = {
  upstream: ({ upstream }) => upstream,
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  upstream_model: ({ upstreamModel }) => upstreamModel,
  credential: ({ credential }) => credential,
  state: ({ state }) => state,
  works: ({ ok }) => ok,
  fault: ({ fault }) => fault,
  detail: ({ detail }) => detail,
};

export function upstreamsCommand(): OpsCommand {
  const upstreams = new OpsCommand("upstreams").description("check and try the upstreams");
  upstreams
    .command("check")
    .description(
      "send a cheap harmless request to each upstream; exit code 1 if one in use does not work",
    )
    .printsRows(CHECKED, async ({ generation }) => {
      const { upstreams: checked } = await generation.checkUpstreams({});
      if (checked.some(({ ok, state }) => !ok && state !== "disabled")) process.exitCode = 1;
      return checked;
    });
  upstreams.addCommand(tryUpstreamsCommand());
  return upstreams;
}
