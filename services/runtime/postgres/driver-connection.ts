/** One connection to one server: the driver with a pool of one, used until that connection closes and never after. */
import postgres from "postgres";
import { once } from "node:events";
import { Socket, connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { DatabaseHost, DatabaseTarget } from "./database-url.ts";
import {
  DatabaseUnavailable,
  READ_ONLY_STATE,
  TRANSACTION_TIMEOUT_SINCE,
  noteSilence,
  type Limits,
} from "./limits.ts";
import { statementName, type StatementObserver } from "./statement.ts";
import { workContext } from "../work-context.ts";

type Driver = postgres.Sql<{ bigint: bigint }>;
type DriverTransaction = postgres.TransactionSql<{ bigint: bigint }>;
type DriverReserved = postgres.ReservedSql<{ bigint: bigint }>;

/** What the driver's queries have besides being promises; they begin when somebody waits for them. */
export type DriverQuery = Promise<unknown> & {
  handler: (query: DriverQuery) => unknown;
  /** The template of the statement, without values. */
  strings: readonly string[];
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

/** Behind PgBouncer the limits of statements are those of the role; without one a statement could run for ever. */
const NO_TIME_LIMIT =
  'this role has no statement_timeout: run "ops provision", or alter role … set statement_timeout';

/** The driver's own codes. Its messages name no server, because it has not made the stream. */
const DRIVER_GAVE_UP = /^CONNECT(ION)?_[A-Z]+$/;

export type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<bigint> }>;

export type DriverConnection = Awaited<ReturnType<typeof openConnection>>;

/**
 * Connects to `host`. Once a connection has closed, the driver can send the rest of an old message on the next one and
 * then stay mute for ever; that is why it gets its stream from here and never a second one.
 */
export async function openConnection(
  target: DatabaseTarget,
  host: DatabaseHost,
  options: DriverOptions,
  limits: Limits,
  observer?: StatementObserver,
) {
  const stream = await openStream(host, target.tls, limits.connect);
  let isClosed = false;
  const streams = [stream];
  const driver = postgres({
    ...options,
    ...host,
    database: target.database,
    user: target.user,
    password: target.password,
    max: 1,
    socket: () => streams.pop() ?? closedStream(),
    backoff: () => 0,
    max_lifetime: null,
    connect_timeout: limits.connect / 1_000,
  } as DriverOptions) as unknown as Driver;
  const close = () => {
    isClosed = true;
    void driver.end({ timeout: 0 });
    stream.destroy();
  };
  // These listeners come before the driver's: nothing reaches the driver once its connection is lost.
  stream.on("error", close).on("close", close);
  let silentMs = limits.silent;
  let lastUsedMs = performance.now();
  stream.on("data", () => (lastUsedMs = performance.now()));
  // After the process stood still, the stream's timer fires too early: before what has arrived meanwhile is read, before
  // a statement of the same moment is written, or set by a clock that had not gone on.
  const closeIfSilent = () =>
    setImmediate(() => {
      const leftMs = lastUsedMs + silentMs - performance.now();
      if (leftMs > 0) stream.setTimeout(Math.ceil(leftMs));
      else close();
    });
  // `setTimeout` would call the listener for the first timeout only.
  stream.on("timeout", closeIfSilent).setTimeout(silentMs);

  const lost = (cause: unknown) =>
    new DatabaseUnavailable(`the connection to ${host.host}:${host.port} was lost`, { cause });
  const unready = (cause: unknown) =>
    new DatabaseUnavailable(
      `${host.host}:${host.port} took a connection that did not become ready: ${codeOf(cause)}`,
      { cause },
    );
  const send = (handler: DriverQuery["handler"], query: DriverQuery, onEnd?: () => void) => {
    const { resolve, reject } = query;
    let isEnded = false;
    const sentMs = performance.now();
    lastUsedMs = sentMs;
    // The answer comes by an event of the connection, which has no context.
    const sentFrom = workContext();
    // Once: the driver rejects a query that it could not send, and resolves it when the connection is ready again.
    const end = (error?: unknown) => {
      if (isEnded) return;
      isEnded = true;
      // The driver frees the connection right after it has resolved the query.
      if (onEnd) queueMicrotask(onEnd);
      const ms = performance.now() - sentMs;
      observer?.ended(statementName(query.strings), ms, sentFrom, error);
    };
    query.resolve = (result) => {
      resolve(result);
      end();
    };
    query.reject = (error) => {
      if (codeOf(error) === READ_ONLY_STATE) close();
      const fault = isClosed ? lost(error) : error;
      reject(fault);
      end(fault);
    };
    if (isClosed) query.reject(undefined);
    else handler(query);
  };
  const setSilence = (ms: number) => {
    if (limits.silent === 0) return;
    silentMs = ms;
    stream.setTimeout(ms);
  };
  const guarded = <T extends DriverTransaction | DriverReserved>(sql: T): T =>
    withHandler(sql, (query, handler) => send(handler, query));

  const { handler } = driver`` as unknown as DriverQuery;
  try {
    const [state] = await driver<[{ isStandby: boolean; statementTimeout: string }]>`
      select pg_is_in_recovery() as is_standby, current_setting('statement_timeout') as statement_timeout,
        case when ${!target.isPooled} and current_setting('server_version_num')::int >= ${TRANSACTION_TIMEOUT_SINCE}
          then set_config('transaction_timeout', ${String(limits.transaction)}, false) end`;
    if (limits.statement > 0 && state.statementTimeout === "0") throw new Error(NO_TIME_LIMIT);
    return {
      host,
      isStandby: state.isStandby,
      /** What is in flight fails. */
      close,
      isClosed: () => isClosed,
      /** Sends a statement; `onEnd` is called when the connection is free again. */
      run: (query: DriverQuery, onEnd: () => void) => send(handler, query, onEnd),
      async begin<T>(mode: string, work: (tx: DriverTransaction) => Promise<T>): Promise<T> {
        try {
          return (await driver.begin(mode, async (tx) => {
            const given = guarded(tx);
            noteSilence(given, setSilence);
            try {
              return await work(given);
            } finally {
              // The driver would send `commit` or `rollback` on a connection that is gone, and throw where nobody can
              // catch it. It rejects the transaction in any case.
              if (isClosed) await Promise.withResolvers<never>().promise;
            }
          })) as T;
        } catch (error) {
          throw isClosed ? lost(error) : error;
        } finally {
          setSilence(limits.silent);
        }
      },
      reserve: async () => guarded(await driver.reserve()),
    };
  } catch (error) {
    close();
    throw DRIVER_GAVE_UP.test(codeOf(error)) ? unready(error) : error;
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** The same tagged template; `run` gets each statement with the handler that it would have had. */
export function withHandler<T extends postgres.ISql<{ bigint: bigint }>>(
  sql: T,
  run: (query: DriverQuery, handler: DriverQuery["handler"]) => void,
): T {
  const watched = (made: unknown) => {
    if (!(made instanceof Promise)) return made;
    const query = made as DriverQuery;
    const { handler } = query;
    query.handler = () => run(query, handler);
    return query;
  };
  return new Proxy(sql, {
    apply: (target, self, args) => watched(Reflect.apply(target as never, self, args)),
    get: (target, name) =>
      name === "unsafe"
        ? (...args: [string]) => watched(target.unsafe(...args))
        : Reflect.get(target, name),
  });
}

/** A stream that fails: what the driver gets when it wants to connect again. */
function closedStream(): Socket {
  const stream = new Socket();
  setImmediate(() => stream.destroy(new DatabaseUnavailable("the connection is closed")));
  return stream;
}

/** An idle connection is probed after this time, so that a path that is cut without a word is noticed. */
const KEEP_ALIVE_MS = 5_000;
/** The length of the message, then the code that Postgres takes for a request to use TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const SSL_ACCEPTED = "S";

/** Opens the byte stream to a server: TCP, then TLS where wanted. Rejects when it is not ready within `timeoutMs`. */
async function openStream(
  { host, port }: DatabaseHost,
  tls: ConnectionOptions | undefined,
  timeoutMs: number,
): Promise<Socket> {
  const probes = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  const tcp = connectTcp({ host, port, noDelay: true, ...probes });
  const timer = setTimeout(() => {
    tcp.destroy(new DatabaseUnavailable(`no connection to ${host}:${port} within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    await once(tcp, "connect");
    return tls ? await encrypted(tcp, { host, port }, tls) : tcp;
  } catch (error) {
    tcp.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function encrypted(
  tcp: Socket,
  { host, port }: DatabaseHost,
  tls: ConnectionOptions,
): Promise<Socket> {
  tcp.write(SSL_REQUEST);
  const answer = once(tcp, "data");
  const closed = once(tcp, "close").then(() => [Buffer.alloc(0)]);
  // Exactly one byte: more of them came from somebody who speaks before the encryption.
  const [reply] = (await Promise.race([answer, closed])) as [Buffer];
  if (reply.toString() !== SSL_ACCEPTED) throw new Error(`${host}:${port} does not offer TLS`);
  const servername = isIP(host) ? {} : { servername: host };
  const secure = connectTls({ socket: tcp, host, ...servername, ...tls });
  await once(secure, "secureConnect").catch((cause: Error) => {
    throw new Error(`TLS with ${host}:${port} failed: ${cause.message}`, { cause });
  });
  return secure;
}
