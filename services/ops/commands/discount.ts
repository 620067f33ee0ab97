/** `discount set|list`: discounts of an account. */
import { InvalidArgumentError } from "commander";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Discount } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, parseCount } from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { rowOf, timeOrNull, type Fields } from "../session/print.ts";
import type { Session } from "../session/session.ts";

type SetOptions = { account: string; model: string; basisPoints: number; from?: Date };

const DISCOUNT: Fields<Discount> = {
  model: ({ model }) => model || "(all)",
  basis_points: ({ basisPoints }) => basisPoints,
  from: ({ from }) => timeOrNull(from),
};

export function discountCommand(): OpsCommand {
  const discount = new OpsCommand("discount").description("set and list discounts of an account");
  discount
    .command("set")
    .description("set a discount from a time on; 0 ends it")
    .addOption(accountOption())
    .requiredOption("--basis-points <n>", "0 to 10000; 1500 is 15 %", parseCount)
    .option("--model <id>", "the model; all models if left out", "")
    .option("--from <time>", "RFC 3339; now if left out", parseTime)
    .printsRow(async (session, { account: accountId, model, basisPoints, from }: SetOptions) => {
      // One that was set for a model that there is not may be ended.
      if (model !== "" && basisPoints > 0) await requireModel(session, accountId, model);
      const wanted = { model, basisPoints, from: from && timestampFromDate(from) };
      const { discount: set } = await session.billing.setDiscount({ accountId, discount: wanted });
      return set ? rowOf(DISCOUNT, set) : {};
    });
  discount
    .command("list")
    .description("list the discounts in force now")
    .addOption(accountOption())
    .printsRows(DISCOUNT, async ({ billing }, { account: accountId }: { account: string }) => {
      return (await billing.getDiscounts({ accountId })).discounts;
    });
  return discount;
}

/** Billing does not know the models: a discount for another one would be stored, and never apply. */
async function requireModel(
  { generation }: Session,
  accountId: string,
  model: string,
): Promise<void> {
  const request = { accountId, mode: Mode.LIVE };
  const { models } = await generation.listModels(request);
  const ids = models.map(({ id }) => id);
  if (ids.includes(model)) return;
  throw new UsageError(`there is no model "${model}"; the models are ${ids.join(", ")}`);
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError("It must be like 2026-11-21T12:00:00Z.");
}
