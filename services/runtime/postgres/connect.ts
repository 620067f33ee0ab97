/** A pool of Postgres connections: int8 as bigint, timestamptz as Date, columns in camelCase; nothing waits long. */
import postgres from "postgres";
import { parseDatabaseUrl } from "./database-url.ts";
import type { DatabaseTarget } from "./database-url.ts";
import { openConnection, withHandler } from "./driver-connection.ts";
import type { DriverConnection, DriverOptions, DriverQuery } from "./driver-connection.ts";
import { createPool } from "./pool.ts";
import { DatabaseUnavailable } from "./unavailable.ts";

export type Sql = postgres.Sql<{ bigint: bigint }>;
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
/** What store functions accept: the pool, or a transaction on it. */
export type Db = Sql | Transaction;

/** How long things may take, in milliseconds. With a silent server a statement fails within 10 s in all. */
const LIMITS = {
  /** Postgres gives up a statement after this time, waiting for locks included. */
  statement: 6_000,
  /** Postgres ends a transaction, and frees its locks, when its process is idle for so long: it may be paused. */
  idleInTransaction: 5_000,
  /** Without a byte for so long a connection is closed: it is not used, or the server is silent. */
  silent: 7_000,
  /** Until a new connection is ready. */
  connect: 3_000,
  /** How long a statement waits for a free connection. */
  wait: 3_000,
};

export type PostgresConfig = {
  url: string;
  maxConnections: number;
  /** Replace the usual limits. */
  limits?: Partial<typeof LIMITS>;
};

/**
 * Connects when the first statement is sent. Errors of a server that cannot be used now are those of
 * `isDatabaseUnavailable`; the next statement tries again. Throws when the URL is wrong.
 */
export function connectPostgres(config: PostgresConfig, applicationName: string): Sql {
  const target = parseDatabaseUrl(config.url);
  const limits = { ...LIMITS, ...config.limits };
  const options = driverOptions(target, limits, applicationName);
  const open = primaryFinder(target, (host) => openConnection(target, host, options, limits));
  const pool = createPool({
    maxConnections: config.maxConnections,
    waitMs: limits.wait,
    open,
  });

  const run = async (query: DriverQuery) => {
    try {
      const connection = await pool.take();
      connection.run(query, () => pool.release(connection));
    } catch (error) {
      query.reject(error);
    }
  };
  // Makes statements and never connects: each runs on a connection of the pool.
  const template = withHandler(postgres(options) as unknown as Sql, (query) => void run(query));
  const members = {
    async begin<T>(...args: [string, Work<T>] | [Work<T>]): Promise<T> {
      const [mode, work] = args.length === 1 ? ["", args[0]] : args;
      const connection = await pool.take();
      try {
        return await connection.begin(mode, work);
      } finally {
        pool.release(connection);
      }
    },
    async reserve() {
      const connection = await pool.take();
      const reserved = await connection.reserve();
      const release = () => {
        reserved.release();
        pool.release(connection);
      };
      return new Proxy(reserved, {
        get: (sql, name) => (name === "release" ? release : Reflect.get(sql, name)),
      });
    },
    end: ({ timeout = 5 }: { timeout?: number } = {}) => pool.end(timeout * 1_000),
  };
  return new Proxy(template, {
    get: (sql, name) => Reflect.get(name in members ? members : sql, name),
  });
}

type Work<T> = (tx: Transaction) => Promise<T>;

/** Behind PgBouncer, the limits are those of the role: it passes on neither settings nor prepared statements. */
function driverOptions(
  { isPooled }: DatabaseTarget,
  limits: typeof LIMITS,
  applicationName: string,
): DriverOptions {
  const settings = {
    statement_timeout: limits.statement,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
  };
  return {
    types: { bigint: postgres.BigInt },
    onnotice: () => {},
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    prepare: !isPooled,
    connection: { application_name: applicationName, ...(isPooled ? {} : settings) },
  };
}

/** Opens a connection to the primary. Of several hosts the one that was the primary last is tried first. */
function primaryFinder(
  { hosts }: DatabaseTarget,
  open: (host: DatabaseTarget["hosts"][number]) => Promise<DriverConnection>,
): () => Promise<DriverConnection> {
  let first = 0;
  return async () => {
    const errors: unknown[] = [];
    for (let tried = 0; tried < hosts.length; tried++) {
      const index = (first + tried) % hosts.length;
      try {
        const connection = await open(hosts[index] as DatabaseTarget["hosts"][number]);
        if (!connection.isStandby || hosts.length === 1) {
          first = index;
          return connection;
        }
        connection.close();
      } catch (error) {
        errors.push(error);
      }
    }
    throw errors.at(-1) ?? new DatabaseUnavailable("every host is a standby");
  };
}
