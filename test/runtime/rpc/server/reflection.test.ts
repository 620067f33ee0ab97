/** Server reflection: what tools read from it, and where there is none. */
import { createFileRegistry, fromBinary, create, type MessageInitShape } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
  type ServerReflectionResponse,
} from "#gen/proto/grpc/reflection/v1/reflection_pb.ts";
import { envReader } from "#runtime/env.ts";
import type { RpcServer } from "#runtime/rpc/server/server.ts";
import { readServiceConfig } from "#runtime/service/service.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

type Question = NonNullable<
  MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]
>;

const stack = new AsyncDisposableStack();
let server: RpcServer;
beforeAll(async () => {
  const routes = serveRpc((router) => router.service(BillingService, {}), { hasReflection: true });
  server = stack.use(await routes);
});
afterAll(() => stack.disposeAsync());

async function ask(url: string, ...questions: Question[]) {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: url }));
  async function* requests() {
    for (const messageRequest of questions) yield { messageRequest };
  }
  const answers: ServerReflectionResponse["messageResponse"][] = [];
  for await (const { messageResponse } of client.serverReflectionInfo(requests())) {
    answers.push(messageResponse);
  }
  return answers;
}

it("lists the services of the port", async () => {
  const [answer] = await ask(server.url, { case: "listServices", value: "" });
  const names = answer?.case === "listServicesResponse" && answer.value.service;
  expect(names).toMatchObject([
    { name: "grpc.health.v1.Health" },
    { name: "media.billing.v1.BillingService" },
    { name: "grpc.reflection.v1.ServerReflection" },
  ]);
});

it("gives a symbol's file with all that it imports", async () => {
  const answers = await ask(
    server.url,
    { case: "fileContainingSymbol", value: "media.billing.v1.BillingService.GetBalance" },
    { case: "fileContainingSymbol", value: "media.billing.v1.GetBalanceRequest" },
    { case: "fileByFilename", value: "media/billing/v1/billing.proto" },
  );
  for (const answer of answers) {
    if (answer.case !== "fileDescriptorResponse") throw new Error(`${answer.case}`);
    const file = answer.value.fileDescriptorProto.map((bytes) =>
      fromBinary(FileDescriptorProtoSchema, bytes),
    );
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
    expect(registry.getService(BillingService.typeName)?.methods).toHaveLength(
      BillingService.methods.length,
    );
  }
});

it("finds extensions by the message that they extend", async () => {
  const containingType = "google.protobuf.MethodOptions";
  const [numbers] = await ask(server.url, {
    case: "allExtensionNumbersOfType",
    value: containingType,
  });
  if (numbers?.case !== "allExtensionNumbersResponse") throw new Error(`${numbers?.case}`);
  const [extensionNumber = 0] = numbers.value.extensionNumber;
  const value = { containingType, extensionNumber };
  const [answer] = await ask(server.url, { case: "fileContainingExtension", value });
  expect(answer?.case).toBe("fileDescriptorResponse");
});

it("says what it does not know", async () => {
  const value = { errorCode: Code.NotFound };
  expect(
    await ask(
      server.url,
      { case: "fileContainingSymbol", value: "media.billing.v1.None" },
      { case: "fileContainingSymbol", value: "None" },
      { case: "allExtensionNumbersOfType", value: "None" },
    ),
  ).toMatchObject([{ value }, { value }, { value }]);
});

it("is off in production", async () => {
  const read = (env: Record<string, string>) => readServiceConfig(envReader(env)).hasReflection;
  expect([read({}), read({ NODE_ENV: "production" })]).toEqual([true, false]);
  await using closed = await serveRpc((router) => router.service(BillingService, {}));
  await expect(ask(closed.url, { case: "listServices", value: "" })).rejects.toMatchObject({
    code: Code.Unimplemented,
  });
});
