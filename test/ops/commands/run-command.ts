/** Commands of ops against services that have some RPCs only, beside accounts that all exist. */
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { expect } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { loadLimits } from "#runtime/load-limit.ts";
import { createLog } from "#runtime/log.ts";
import { serverInterceptor } from "#runtime/rpc/server/interceptors.ts";
import { newAccountId } from "../../support/account.ts";
import { runOpsHere } from "../../support/operator.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";

export const ids = [newAccountId(), newAccountId(), newAccountId()].toSorted();
export const [first = "", second = "", third = ""] = ids;
export const OF = `--account ${first}`;

/** Runs a command whose services have these RPCs, beside an AccountService that knows every account. */
export async function ops(
  command: string,
  routes: (router: ConnectRouter) => void = () => {},
  accounts: Partial<ServiceImpl<typeof AccountService>> = {},
) {
  const limits = loadLimits({ clock: systemClock, metrics: new Registry() });
  await using services = await opsEndpoints(
    (router) => {
      router.service(AccountService, {
        getAccount: () => ({}),
        recordAction: () => ({}),
        ...accounts,
      });
      routes(router);
    },
    { interceptors: [serverInterceptor({ limits, log: createLog("test", "silent") })] },
  );
  return await runOpsHere(services.env, command.split(" "));
}

export async function rowsOf(...call: Parameters<typeof ops>): Promise<unknown> {
  const { code, output } = await ops(`${call[0]} --json`, call[1], call[2]);
  expect({ code, output }).toMatchObject({ code: 0 });
  return JSON.parse(output);
}
