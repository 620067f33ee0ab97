/** `provider check`: checks each configured upstream. */
import { Command } from "commander";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { jsonOption } from "../options.ts";
import { runList } from "../session.ts";
import type { Format } from "../session.ts";

const COLUMNS = [
  "route",
  "model",
  "provider",
  "upstream_model",
  "credential",
  "state",
  "works",
  "fault",
  "detail",
];

export function providerCommand(): Command {
  const provider = new Command("provider").description("check the upstream providers");
  provider
    .command("check")
    .description(
      "send a cheap harmless request to each upstream; exit code 1 if one in use does not work",
    )
    .addOption(jsonOption())
    .action(async (options: Format) => {
      const rows = await runList(options, COLUMNS, async ({ client }) => {
        const { routes } = await client("generation", GenerationService).checkProviders({});
        return routes.map(({ upstreamModel, ok, $typeName: _name, $unknown: _rest, ...route }) => ({
          ...route,
          upstream_model: upstreamModel,
          works: ok,
        }));
      });
      if (rows.some(({ works, state }) => !works && state !== "disabled")) process.exitCode = 1;
    });
  return provider;
}
