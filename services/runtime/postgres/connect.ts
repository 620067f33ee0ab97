/** A pool of Postgres connections: int8 as bigint, timestamptz as Date, columns in camelCase; nothing waits long. */
import postgres from "postgres";
import { arrayTypes, type StatementObserver } from "./statement.ts";
import { parseDatabaseUrl, type DatabaseHost, type DatabaseTarget } from "./database-url.ts";
import {
  openConnection,
  withHandler,
  type DriverConnection,
  type DriverOptions,
  type DriverQuery,
} from "./driver-connection.ts";
import { createPool, type PoolObserver } from "./pool.ts";
import { DatabaseUnavailable, LIMITS, postgresSettings, type Limits } from "./limits.ts";

export type Sql = postgres.Sql<{ bigint: bigint }>;
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
/** What store functions accept: the pool, or a transaction on it. */
export type Db = Sql | Transaction;

/** Undefined where there is none. */
export async function first<T>(rows: PromiseLike<readonly T[]>): Promise<T | undefined> {
  return (await rows)[0];
}

/** Whether a statement was refused because a row has these values of a unique index already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === "23505";
}

export type PostgresConfig = {
  url: string;
  maxConnections: number;
  /** Replace the usual limits. */
  limits?: Partial<Limits>;
};

/**
 * Connects when the first statement is sent. Errors of a server that cannot be used now are those of
 * `isDatabaseUnavailable`; the next statement tries again. Throws when the URL is wrong.
 */
export function connectPostgres(
  config: PostgresConfig,
  applicationName: string,
  observer?: PoolObserver & StatementObserver,
): Sql {
  const target = parseDatabaseUrl(config.url);
  const limits = { ...LIMITS, ...config.limits };
  const options = driverOptions(target, limits, applicationName);
  const open = primaryFinder(target, (host) =>
    openConnection(target, host, options, limits, observer),
  );
  const pool = createPool({
    maxConnections: config.maxConnections,
    waitMs: limits.wait,
    open,
    observer,
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
    /** The sign-in library's queries use it. */
    async reserve() {
      const connection = await pool.take();
      const reserved = await connection.reserve().catch((error: unknown) => {
        pool.release(connection);
        throw error;
      });
      const release = reserved.release.bind(reserved);
      const releaseBoth = () => {
        release();
        pool.release(connection);
      };
      return Object.assign(reserved, { release: releaseBoth });
    },
    end: ({ timeout = 5 }: { timeout?: number } = {}) => pool.end(timeout * 1_000),
  };
  return new Proxy(template, {
    get: (sql, name) => Reflect.get(name in members ? members : sql, name),
  });
}

/** The host of `url` that takes writes. Rejects when none does. */
export async function findPrimary(url: string): Promise<DatabaseHost> {
  const target = parseDatabaseUrl(url);
  if (target.hosts.length === 1 && target.hosts[0]) return target.hosts[0];
  const options = driverOptions(target, LIMITS, "find the primary");
  const connection = await primaryFinder(target, (host) =>
    openConnection(target, host, options, { ...LIMITS, statement: 0 }),
  )();
  connection.close();
  return connection.host;
}

type Work<T> = (tx: Transaction) => Promise<T>;

/** Behind PgBouncer, the limits are those of the role: it passes on neither settings nor prepared statements. */
function driverOptions(
  { isPooled }: DatabaseTarget,
  limits: Limits,
  applicationName: string,
): DriverOptions {
  return {
    types: { bigint: postgres.BigInt, ...arrayTypes },
    fetch_types: false,
    onnotice: () => {},
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    prepare: !isPooled,
    connection: {
      application_name: applicationName,
      ...(isPooled ? {} : postgresSettings(limits)),
    },
  };
}

/** Opens a connection to the primary. Of several hosts the one that was the primary last is tried first. */
function primaryFinder(
  { hosts }: DatabaseTarget,
  open: (host: DatabaseHost) => Promise<DriverConnection>,
): () => Promise<DriverConnection> {
  let first = 0;
  return async () => {
    const errors: unknown[] = [];
    for (let tried = 0; tried < hosts.length; tried++) {
      const index = (first + tried) % hosts.length;
      try {
        const connection = await open(hosts[index] as DatabaseHost);
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
