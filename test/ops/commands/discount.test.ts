/** `ops discount set` refuses a discount that would never apply. */
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { newAccountId } from "../../support/account.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";
import { runOpsHere } from "../../support/operator.ts";

/** Sets a discount where the catalog has the models "first" and "second"; `set` has the models of those that were set. */
async function setDiscount(...args: string[]) {
  const set: string[] = [];
  await using services = await opsEndpoints((router) => {
    router.service(AccountService, { getAccount: () => ({}), recordAction: () => ({}) });
    router.service(GenerationService, {
      listModels: () => ({ models: [{ id: "first" }, { id: "second" }] }),
    });
    router.service(BillingService, {
      setDiscount: ({ discount }) => {
        set.push(discount?.model ?? "?");
        return discount ? { discount } : {};
      },
    });
  });
  const command = ["discount", "set", "--account", newAccountId(), ...args];
  const { code, output } = await runOpsHere(services.env, command);
  return { code, output, set };
}

it("refuses a model that the catalog does not have, and names those that it has", async () => {
  expect(await setDiscount("--model", "frist", "--basis-points", "1500")).toEqual({
    code: 2,
    output: 'ops: there is no model "frist"; the models are first, second\n',
    set: [],
  });
});

it.each([
  ["of a model", ["--model", "second", "--basis-points", "1500"], "second"],
  ["of all models", ["--basis-points", "1500"], ""],
  ["that ends an earlier one of no model", ["--model", "frist", "--basis-points", "0"], "frist"],
])("sets one %s", async (_what, args, model) => {
  expect(await setDiscount(...args)).toMatchObject({ code: 0, set: [model] });
});
