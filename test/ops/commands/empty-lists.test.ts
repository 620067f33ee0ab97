/** A list without rows says that nothing was found. */
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";
import { runOpsHere } from "../../support/operator.ts";

async function ops(command: string) {
  await using services = await opsEndpoints((router) => {
    router.service(AccountService, { listAccounts: () => ({}), listAccountRequests: () => ({}) });
    router.service(GenerationService, { reconcile: () => ({}), listTasks: () => ({}) });
  });
  const run = await runOpsHere(services.env, command.split(" "));
  return run;
}

it.each([
  ["application list", "Nobody waits for an answer.\n"],
  ["reconcile", "Holds and generations agree.\n"],
  ["generation list", "Nothing was found.\n"],
  ["account list --csv", "Nothing was found.\n"],
])("is said by %j", async (command, says) => {
  const { code, output } = await ops(command);
  expect(output).toContain(says);
  expect(code).toBe(0);
});

it.each(["application list --json", "reconcile --json"])(
  "is an empty list of %j",
  async (command) => {
    expect(await ops(command)).toEqual({ code: 0, output: "[]\n" });
  },
);
