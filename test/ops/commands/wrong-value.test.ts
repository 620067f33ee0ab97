/** A value that a service refuses is a wrong command, said in the words of the command. */
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { loadLimits } from "#runtime/load-limit.ts";
import { createLog } from "#runtime/log.ts";
import { serverInterceptor } from "#runtime/rpc/server/interceptors.ts";
import { newAccountId } from "../../support/account.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";
import { runOpsHere } from "../../support/operator.ts";

const ACCOUNT = `--account ${newAccountId()}`;
const KEPT = "--tokens 5 --no-reference";

it.each([
  [`recharge --account acct_nope ${KEPT}`, "--account: an account id is acct_ and 26 characters"],
  [
    "balance --account acct_nope --mode live",
    "--account: an account id is acct_ and 26 characters",
  ],
  ["generation show vgen_nope", "<id>: a generation id is vgen_ or igen_ and 26 characters"],
  [`key revoke ${ACCOUNT} --key nope`, "--key: a key id is key_ and 26 characters"],
  ["account create --name=", "--name: must be at least 1 characters"],
  [`discount set ${ACCOUNT} --basis-points 20000`, "--basis-points: must be"],
])("exits with 2 and names the option where %j has one", async (command, says) => {
  const limits = loadLimits({ clock: systemClock, metrics: new Registry() });
  await using services = await opsEndpoints(
    (router) => {
      router.service(AccountService, { getAccount: () => ({}), recordAction: () => ({}) });
      router.service(BillingService, {});
      router.service(GenerationService, {});
    },
    { interceptors: [serverInterceptor({ limits, log: createLog("test", "silent") })] },
  );
  const { code, output } = await runOpsHere(services.env, command.split(" "));
  expect(output).toContain(`ops: ${says}`);
  expect(output.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(2);
});
