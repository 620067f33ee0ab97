/** `retention`: shows or sets how long prompts and webhooks of an account are kept. */
import { Command } from "commander";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  accountOption,
  FOR_EVER,
  jsonOption,
  retentionDays,
  type RetentionDays,
} from "./options.ts";
import { run } from "../session/session.ts";

/** A webhook is tried for 28 hours. */
const MIN_DAYS = 2;

export function retentionCommand(): Command {
  return new Command("retention")
    .description("show or set how long prompts, other input and webhooks of an account are kept")
    .addOption(accountOption())
    .option(
      "--days <n>",
      `days since a generation ended, or "${FOR_EVER}"`,
      retentionDays(MIN_DAYS),
    )
    .addOption(jsonOption())
    .action((options: { account: string; days?: RetentionDays; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, days } = options;
        const generation = client("generation", GenerationService);
        if (days !== undefined) {
          await generation.setRetention({ accountId, ...(days === FOR_EVER ? {} : { days }) });
        }
        const { days: current } = await generation.getRetention({ accountId });
        return { account_id: accountId, retention_days: current ?? FOR_EVER };
      }),
    );
}
