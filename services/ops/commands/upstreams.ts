/** `upstreams check`: checks each configured upstream; `upstreams try` makes a request to each. */
import { Command } from "commander";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { jsonOption } from "./options.ts";
import { runList, type Format } from "../session/session.ts";
import { tryUpstreamsCommand } from "./try-upstreams.ts";

const COLUMNS = [
  "upstream",
  "model",
  "provider",
  "upstream_model",
  "credential",
  "state",
  "works",
  "fault",
  "detail",
];

export function upstreamsCommand(): Command {
  const upstreams = new Command("upstreams").description("check and try the upstreams");
  upstreams
    .command("check")
    .description(
      "send a cheap harmless request to each upstream; exit code 1 if one in use does not work",
    )
    .addOption(jsonOption())
    .action(async (options: Format) => {
      const rows = await runList(options, COLUMNS, async ({ client }) => {
        const checked = await client("generation", GenerationService).checkUpstreams({});
        return checked.upstreams.map(
          ({ upstreamModel, ok, $typeName: _name, $unknown: _rest, ...rest }) => ({
            ...rest,
            upstream_model: upstreamModel,
            works: ok,
          }),
        );
      });
      if (rows.some(({ works, state }) => !works && state !== "disabled")) process.exitCode = 1;
    });
  upstreams.addCommand(tryUpstreamsCommand());
  return upstreams;
}
