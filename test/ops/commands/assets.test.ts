/** `ops asset limit` and `retention` set how much an account may store, and how long. */
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { newAccountId } from "../../support/account.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";
import { runOpsHere } from "../../support/operator.ts";

async function setLimit(bytes: string) {
  const set: (bigint | undefined)[] = [];
  await using services = await opsEndpoints((router) => {
    router.service(AccountService, { getAccount: () => ({}), recordAction: () => ({}) });
    router.service(DeliveryService, {
      setStorageLimit: ({ mode, limitBytes }) => {
        set.push(limitBytes);
        return {
          storage: { mode, usedBytes: 7n, ...(limitBytes ? { limitBytes } : {}) },
        };
      },
    });
  });
  const command = ["asset", "limit", "--account", newAccountId(), "--mode", "test", "--json"];
  const args = [...command, "--bytes", bytes];
  const { code, output } = await runOpsHere(services.env, args);
  return { code, output, set };
}

it.each([
  ["5000", 5_000n, '"limit_bytes": 5000'],
  ["none", 0n, '"limit_bytes": "none"'],
  ["default", undefined, '"stored_bytes": 7'],
])("sets %s", async (bytes, limit, shown) => {
  const { code, output, set } = await setLimit(bytes);
  expect({ code, set }).toEqual({ code: 0, set: [limit] });
  expect(output.replaceAll(/":\s*/g, '": ')).toContain(shown);
});

it.each(["0", "-1", "1GB"])("refuses %s, and says what is allowed", async (bytes) => {
  const { code, output, set } = await setLimit(bytes);
  expect({ code, set }).toEqual({ code: 2, set: [] });
  expect(output).toContain('a whole number, 1 or more, or "none", or "default"');
});

it.each([
  ["asset retention", DeliveryService],
  ["retention set", GenerationService],
] as const)("%s takes days, and forever", async (command, service) => {
  const set: (number | undefined)[] = [];
  await using services = await opsEndpoints((router) => {
    router.service(AccountService, { getAccount: () => ({}), recordAction: () => ({}) });
    router.service(service, {
      setRetention: ({ days }: { days?: number | undefined }) => {
        set.push(days);
        return {};
      },
    });
  });
  for (const days of ["30", "forever"]) {
    const args = [...command.split(" "), "--account", newAccountId(), "--days", days];
    expect(await runOpsHere(services.env, args)).toMatchObject({ code: 0 });
  }
  expect(set).toEqual([30, undefined]);
});
