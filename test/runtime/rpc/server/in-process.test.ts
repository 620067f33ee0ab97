/** Calls within one process behave as calls between processes: each test runs over both transports. */
import { create } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  type Client,
  type HandlerContext,
  type Interceptor,
  type ServiceImpl,
} from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  BalanceSchema,
  BillingService,
  HoldSchema,
  type ReserveRequest,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { overHttp, overMemory } from "#runtime/rpc/client/client.ts";
import { faultsOf, refusal } from "#runtime/rpc/errors.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

type Billing = Partial<ServiceImpl<typeof BillingService>>;
type Interceptors = { server?: Interceptor[]; client?: Interceptor[] };
type Called = AsyncDisposable & { billing: Client<typeof BillingService> };

async function overTwoProcesses(implementation: Billing, by: Interceptors = {}): Promise<Called> {
  const { server = [], client = [] } = by;
  const stack = new AsyncDisposableStack();
  const options = { interceptors: server };
  const rpc = await serveRpc((router) => router.service(BillingService, implementation), options);
  const http = overHttp([rpc.url]);
  stack.use(rpc);
  stack.use(http);
  const billing = createClient(BillingService, http.connect(client));
  return { billing, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function withinOneProcess(implementation: Billing, by: Interceptors = {}): Promise<Called> {
  const { server = [], client = [] } = by;
  const options = { interceptors: server };
  const rpc = await serveRpc((router) => router.service(BillingService, implementation), options);
  const billing = createClient(BillingService, overMemory(() => rpc)(client));
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

const failure = async (call: Promise<unknown>) =>
  ConnectError.from(await call.catch((error: unknown) => error));

describe.each([
  ["between two processes", overTwoProcesses],
  ["within one process", withinOneProcess],
])("a call %s", (_where, call) => {
  it("ends at its deadline, for the caller and for the handler", async () => {
    const { aborted, ...handler } = waitingHandler();
    await using called = await call(handler);
    const { code } = await failure(called.billing.getBalance({}, { timeoutMs: 20 }));
    expect(Code[code]).toBe("DeadlineExceeded");
    await aborted;
  });

  it("tells the handler how much time is left: by default what the proto states", async () => {
    const { begun, ...handler } = waitingHandler();
    await using called = await call(handler);
    const stop = new AbortController();
    const answer = failure(called.billing.getBalance({}, { signal: stop.signal }));
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
    const answer = failure(called.billing.getBalance({}, { signal: stop.signal }));
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
    const { code } = await failure(called.billing.getBalance({}, { signal: AbortSignal.abort() }));
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

  it("carries the reasons of a refusal, without its cause", async () => {
    await using called = await call({
      getBalance: () => {
        const refused = refusal({ reason: ErrorReason.UNAVAILABLE, message: "try again" });
        throw Object.assign(refused, { cause: new Error("secret") });
      },
    });
    const error = await failure(called.billing.getBalance({}));
    expect(Code[error.code]).toBe("Unavailable");
    expect(error.rawMessage).toBe("try again");
    expect(faultsOf(error).map(({ reason }) => reason)).toEqual([ErrorReason.UNAVAILABLE]);
    expect(error.cause).toBeUndefined();
  });

  it("hides any other error", async () => {
    await using called = await call({
      getBalance: () => {
        throw new Error("secret");
      },
    });
    const error = await failure(called.billing.getBalance({}));
    expect(Code[error.code]).toBe("Internal");
    expect(error.message).not.toContain("secret");
    expect(error.cause).toBeUndefined();
  });

  it("is unimplemented for a method without a handler", async () => {
    await using called = await call({});
    expect(Code[(await failure(called.billing.getBalance({}))).code]).toBe("Unimplemented");
  });

  it("passes the interceptors of both sides, with headers but without context values", async () => {
    const key = createContextKey("none");
    const client: Interceptor = (next) => (request) => {
      request.header.set("x-client", "added");
      request.contextValues.set(key, "of the client");
      return next(request);
    };
    const server: Interceptor = (next) => async (request) => {
      expect(request.header.get("x-client")).toBe("added");
      expect(request.header.get("x-caller")).toBe("given");
      expect(request.contextValues.get(key)).toBe("none");
      request.contextValues.set(key, "of the server");
      const response = await next(request);
      response.header.set("x-server", "added");
      return response;
    };
    const getBalance = (
      _request: unknown,
      { values, requestHeader, responseHeader }: HandlerContext,
    ) => {
      responseHeader.set("x-handler", `${values.get(key)}, ${requestHeader.get("x-client")}`);
      return {};
    };
    await using called = await call({ getBalance }, { client: [client], server: [server] });
    let answered = new Headers();
    const onHeader = (header: Headers) => void (answered = header);
    await called.billing.getBalance({}, { headers: { "x-caller": "given" }, onHeader });
    expect(answered.get("x-server")).toBe("added");
    expect(answered.get("x-handler")).toBe("of the server, added");
  });

  it("leaves neither side anything that it can change for the other", async () => {
    const kept = create(BalanceSchema, { available: 7n });
    const changes: unknown[] = [];
    const change = (make: () => void) => {
      try {
        make();
      } catch (error) {
        changes.push(error);
      }
    };
    let received: ReserveRequest | undefined;
    await using called = await call({
      reserve: (request) => {
        received = request;
        change(() => (request.tokens = 1n));
        change(() => request.hold && (request.hold.attempt = 9));
        return { balance: kept };
      },
    });
    const hold = create(HoldSchema, { accountId: "acct", attempt: 1 });
    const { balance } = await called.billing.reserve({ tokens: 5n, hold });
    change(() => balance && (balance.available = 0n));
    change(() => (hold.attempt = 3));
    expect(kept.available).toBe(7n);
    expect(received?.hold?.attempt).not.toBe(3);
    expect((await called.billing.reserve({ hold })).balance?.available).toBe(7n);
    for (const error of changes) expect(error).toBeInstanceOf(TypeError);
  });
});
