/** Calls within one process end and fail as calls between processes do: each test runs over both. */
import {
  Code,
  createClient,
  type Client,
  type HandlerContext,
  type ServiceImpl,
} from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { overHttp, overMemory } from "#runtime/rpc/client/client.ts";
import { callerKey } from "#runtime/rpc/server/access.ts";
import { faultsOf, refusal } from "#runtime/rpc/errors.ts";
import { failureOf } from "../../../support/rpc.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

type Billing = Partial<ServiceImpl<typeof BillingService>>;
type Called = AsyncDisposable & { billing: Client<typeof BillingService> };

async function overTwoProcesses(implementation: Billing): Promise<Called> {
  const stack = new AsyncDisposableStack();
  const rpc = stack.use(await serveRpc((router) => router.service(BillingService, implementation)));
  const billing = createClient(BillingService, stack.use(overHttp([rpc.url], [])));
  return { billing, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function withinOneProcess(implementation: Billing): Promise<Called> {
  const rpc = await serveRpc((router) => router.service(BillingService, implementation));
  const billing = createClient(BillingService, overMemory(() => rpc)("generation"));
  return { billing, [Symbol.asyncDispose]: () => rpc[Symbol.asyncDispose]() };
}

/** A handler that answers when its signal aborts, and what it saw. */
function waitingHandler() {
  const begun = Promise.withResolvers<HandlerContext>();
  const aborted = Promise.withResolvers<void>();
  const getBalance = async (_request: unknown, context: HandlerContext) => {
    begun.resolve(context);
    context.signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    await aborted.promise;
    return {};
  };
  return { getBalance, begun: begun.promise, aborted: aborted.promise };
}

describe.each([
  ["between two processes", overTwoProcesses],
  ["within one process", withinOneProcess],
])("a call %s", (_where, call) => {
  it("ends at its deadline, for the caller and for the handler", async () => {
    const { aborted, ...handler } = waitingHandler();
    await using called = await call(handler);
    // The connection is open then.
    await failureOf(called.billing.getDiscounts({}));
    const { code } = await failureOf(called.billing.getBalance({}, { timeoutMs: 1_000 }));
    expect(Code[code]).toBe("DeadlineExceeded");
    await aborted;
  });

  it("tells the handler how much time is left: by default what the proto states", async () => {
    const { begun, ...handler } = waitingHandler();
    await using called = await call(handler);
    const stop = new AbortController();
    const answer = failureOf(called.billing.getBalance({}, { signal: stop.signal }));
    const leftMs = (await begun).timeoutMs() ?? 0;
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(5_000);
    stop.abort();
    await answer;
  });

  it("ends when the caller aborts it, for both sides", async () => {
    const { begun, aborted, ...handler } = waitingHandler();
    await using called = await call(handler);
    const stop = new AbortController();
    const answer = failureOf(called.billing.getBalance({}, { signal: stop.signal }));
    await begun;
    stop.abort();
    expect(Code[(await answer).code]).toBe("Canceled");
    await aborted;
  });

  it("is not begun when the caller has aborted it already", async () => {
    let calls = 0;
    await using called = await call({
      getBalance: () => ({ balance: { available: BigInt(++calls) } }),
    });
    const { code } = await failureOf(
      called.billing.getBalance({}, { signal: AbortSignal.abort() }),
    );
    expect(Code[code]).toBe("Canceled");
    expect(calls).toBe(0);
  });

  it("ends the handler's signal with its answer", async () => {
    let context: HandlerContext | undefined;
    await using called = await call({
      getBalance: (_request, handlerContext) => {
        context = handlerContext;
        expect(handlerContext.signal.aborted).toBe(false);
        return {};
      },
    });
    await called.billing.getBalance({});
    expect(context?.signal.aborted).toBe(true);
  });

  const { UNAVAILABLE } = ErrorReason;
  const refused = refusal({ reason: UNAVAILABLE, message: "try again" });
  const cause = new Error("secret");

  it.each([
    ["a refusal", Object.assign(refused, { cause }), "[unavailable] try again", [UNAVAILABLE]],
    ["any other error", cause, "[internal] internal error", []],
  ])("carries the reasons of %s, without its cause", async (_what, thrown, message, reasons) => {
    await using called = await call({ getBalance: () => Promise.reject(thrown) });
    const error = await failureOf(called.billing.getBalance({}));
    expect(error.message).toBe(message);
    expect(faultsOf(error).map(({ reason }) => reason)).toEqual(reasons);
    expect(error.cause).toBeUndefined();
  });

  it("is unimplemented for a method without a handler", async () => {
    await using called = await call({});
    expect(Code[(await failureOf(called.billing.getBalance({}))).code]).toBe("Unimplemented");
  });
});

it("a handler in the same process learns which service calls", async () => {
  const getBalance = (_request: unknown, { values }: HandlerContext) => {
    expect(values.get(callerKey)).toBe("generation");
    return {};
  };
  await using called = await withinOneProcess({ getBalance });
  await called.billing.getBalance({});
  expect.assertions(1);
});
