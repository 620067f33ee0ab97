/** What a service does around the handler of a call: it limits how many there are, and hides the causes of faults. */
import { getOption } from "@bufbuild/protobuf";
import {
  Code,
  createClient,
  createRouterTransport,
  type HandlerContext,
} from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { load_limited } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import {
  code as reasonCode,
  ErrorReason,
  ErrorReasonSchema,
} from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { LoadLimits, Turn } from "#runtime/load-limit.ts";
import { createLog } from "#runtime/log.ts";
import { DatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { serverInterceptor, turnKey } from "#runtime/rpc/server/interceptors.ts";
import { failureOf } from "../../../support/rpc.ts";
import { findRpcs, type Rpc } from "../../../contract/proto/rpcs.ts";

const balance = { accountId: `acct_${"0".repeat(26)}`, mode: Mode.LIVE };
const hold = { ...balance, generationId: `vgen_${"0".repeat(26)}`, attempt: 1 };

/** A client of a service that answers with `handle`. */
function clientOf(
  limits: LoadLimits,
  handle: (request: unknown, context: HandlerContext) => object = () => ({}),
) {
  const interceptors = [serverInterceptor({ limits, log: createLog("test", "silent") })];
  const rpcs = { getBalance: handle, capture: handle, listTransactions: handle };
  const transport = createRouterTransport((router) => router.service(BillingService, rpcs), {
    router: { interceptors },
  });
  return createClient(BillingService, transport);
}

/** A limit that has turns for all, and notes what becomes of them. */
function turns() {
  const noted: string[] = [];
  const note = (what: string) => () => void noted.push(what);
  const turn: Turn = { pause: note("pause"), resume: note("resume"), end: note("end") };
  return { noted, limits: () => ({ take: async () => turn }) };
}

it("a call beyond the limit of its RPC is unavailable; others begin, and those that carry on what was accepted", async () => {
  const { limits } = turns();
  const none = { take: async () => undefined };
  const client = clientOf((rpc) => (rpc === "ListTransactions" ? limits() : none));
  const error = await failureOf(client.getBalance(balance));
  expect(error.code).toBe(Code.Unavailable);
  expect(reasonOf(error)).toBe(ErrorReason.UNAVAILABLE);
  await expect(client.listTransactions({ ...balance, limit: 1 })).resolves.toBeDefined();
  await expect(client.capture({ hold })).resolves.toBeDefined();
});

it("a call has a turn until its end, however it ends, and its handler can pause it", async () => {
  const { noted, limits } = turns();
  const client = clientOf(limits, (_request, { values }) => {
    values.get(turnKey)?.pause();
    throw new Error("failed");
  });
  await expect(client.getBalance(balance)).rejects.toThrow("internal");
  expect(noted).toEqual(["pause", "end"]);
});

it("every reason of a refusal has a code", () => {
  const [, ...reasons] = ErrorReasonSchema.values;
  const codes = reasons.map((reason) => Code[getOption(reason, reasonCode)]);
  expect(codes).not.toContain(undefined);
});

const BEGUN_BY_CLIENTS = [
  "GenerationService.CreateVideo",
  "GenerationService.CreateImage",
  "GenerationService.CancelGeneration",
  "GenerationService.DeleteGeneration",
  "GenerationService.SearchGenerations",
  "GenerationService.CountGenerations",
  "GenerationService.FindGenerations",
  "GenerationService.ListCharges",
  "BillingService.CountTransactions",
  "DeliveryService.CountDeliveries",
  "DeliveryService.CreateFile",
  "DeliveryService.GetFile",
  "DeliveryService.ListFiles",
  "DeliveryService.DeleteFile",
  "DeliveryService.Redeliver",
];

it("limited is what clients begin and all that internal callers may read, and nothing else", async () => {
  const limited = (await findRpcs()).filter(({ method }) => getOption(method, load_limited));
  const names = ({ callers, name }: Rpc) =>
    callers.includes("internal") || BEGUN_BY_CLIENTS.includes(name);
  expect(limited).toEqual((await findRpcs()).filter(names));
});

const postgresError = (code: string) =>
  Object.assign(new Error("secret"), { name: "PostgresError", code });

it.each([
  ["unavailable", "a lost connection to Postgres", new DatabaseUnavailable("secret")],
  ["unavailable", "a Postgres that shuts down", postgresError("57P01")],
  ["unavailable", "a statement that took too long", postgresError("57014")],
  ["unavailable", "too many connections", postgresError("53300")],
  ["unavailable", "a full disk", postgresError("53100")],
  ["internal", "a broken constraint", postgresError("23505")],
] as const)("is %s, and nothing of the cause, after %s", async (code, _case, thrown) => {
  const client = clientOf(turns().limits, () => {
    throw thrown;
  });
  const error = await failureOf(client.getBalance(balance));
  expect(Code[error.code].toLowerCase()).toBe(code);
  expect(error.message).not.toContain("secret");
});
