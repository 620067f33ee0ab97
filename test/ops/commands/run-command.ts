/** Commands of ops against services that have some RPCs only, beside accounts that all exist. */
import type { Interceptor, ServiceImpl } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { expect } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { loadLimits } from "#runtime/load-limit.ts";
import { createLog } from "#runtime/log.ts";
import { serverInterceptor } from "#runtime/rpc/server/interceptors.ts";
import type { RPCS } from "../../../services/ops/session/session.ts";
import { newAccountId } from "../../support/account.ts";
import { runOpsHere } from "../../support/operator.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";

export const ids = [newAccountId(), newAccountId(), newAccountId()].toSorted();
export const [first = "", second = "", third = ""] = ids;
export const OF = `--account ${first}`;

/** The RPCs that services have, by the name of their client. */
type Services = { [Name in keyof typeof RPCS]?: Partial<ServiceImpl<(typeof RPCS)[Name][0]>> };

/** Runs a command before these services. */
export async function ops(command: string, has: Services = {}, interceptors: Interceptor[] = []) {
  const limits = loadLimits({ clock: systemClock, metrics: new Registry() });
  const server = serverInterceptor({ limits, log: createLog("test", "silent") });
  await using services = await opsEndpoints(
    (router) => {
      const known = { getAccount: () => ({}), recordAction: () => ({}) };
      router.service(AccountService, { ...known, ...has.accounts });
      router.service(BillingService, has.billing ?? {});
      router.service(DeliveryService, has.delivery ?? {});
      router.service(GenerationService, has.generation ?? {});
    },
    { interceptors: [...interceptors, server] },
  );
  return await runOpsHere(services.env, command.split(" "));
}

export async function rowsOf(command: string, has?: Services): Promise<unknown> {
  const { code, stdout, stderr } = await ops(`${command} --json`, has);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}
