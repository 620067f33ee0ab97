/** `discount set|list`: discounts of an account. */
import { Command, InvalidArgumentError } from "commander";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService, type Discount } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { accountOption, jsonOption, parseCount } from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import { run, runList, type Session } from "../session/session.ts";

type SetOptions = {
  account: string;
  model: string;
  basisPoints: number;
  from?: Date;
  json?: boolean;
};

export function discountCommand(): Command {
  const discount = new Command("discount").description("set and list discounts of an account");
  discount
    .command("set")
    .description("set a discount from a time on; 0 ends it")
    .addOption(accountOption())
    .requiredOption("--basis-points <n>", "0 to 10000; 1500 is 15 %", parseCount)
    .option("--model <id>", "the model; all models if left out", "")
    .option("--from <time>", "RFC 3339; now if left out", parseTime)
    .addOption(jsonOption())
    .action((options: SetOptions) =>
      run(options.json, async (session) => {
        const { account: accountId, model, basisPoints, from } = options;
        // One that was set for a model that there is not may be ended.
        if (model !== "" && basisPoints > 0) await requireModel(session, accountId, model);
        const response = await session.client("billing", BillingService).setDiscount({
          accountId,
          discount: { model, basisPoints, from: from && timestampFromDate(from) },
        });
        return discountRow(response.discount);
      }),
    );
  discount
    .command("list")
    .description("list the discounts in force now")
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(async (options: { account: string; json?: boolean }) => {
      await runList(options, ["model", "basis_points", "from"], async ({ client }) => {
        const request = { accountId: options.account };
        return (await client("billing", BillingService).getDiscounts(request)).discounts.map(
          discountRow,
        );
      });
    });
  return discount;
}

/** Billing does not know the models: a discount for another one would be stored, and never apply. */
async function requireModel({ client }: Session, accountId: string, model: string): Promise<void> {
  const request = { accountId, mode: Mode.LIVE };
  const { models } = await client("generation", GenerationService).listModels(request);
  const ids = models.map(({ id }) => id);
  if (ids.includes(model)) return;
  throw new UsageError(`there is no model "${model}"; the models are ${ids.join(", ")}`);
}

function discountRow(discount: Discount | undefined): OutputRow {
  return {
    model: discount?.model || "(all)",
    basis_points: discount?.basisPoints ?? 0,
    from: timeOrNull(discount?.from),
  };
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError("It must be like 2026-11-21T12:00:00Z.");
}
