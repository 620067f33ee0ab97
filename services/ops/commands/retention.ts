/** `retention`: shows or sets how long prompts and webhooks of an account are kept. */
import { OpsCommand } from "./ops-command.ts";
import { accountOption, FOR_EVER, retentionDays, type RetentionDays } from "./options.ts";

/** A webhook is tried for 28 hours. */
const MIN_DAYS = 2;

export function retentionCommand(): OpsCommand {
  return new OpsCommand("retention")
    .description("show or set how long prompts, other input and webhooks of an account are kept")
    .addOption(accountOption())
    .option(
      "--days <n>",
      `days since a generation ended, or "${FOR_EVER}"`,
      retentionDays(MIN_DAYS),
    )
    .printsRow(async ({ generation }, options: { account: string; days?: RetentionDays }) => {
      const { account: accountId, days } = options;
      if (days !== undefined) {
        await generation.setRetention({ accountId, ...(days === FOR_EVER ? {} : { days }) });
      }
      const { days: current } = await generation.getRetention({ accountId });
      return { account_id: accountId, retention_days: current ?? FOR_EVER };
    });
}
