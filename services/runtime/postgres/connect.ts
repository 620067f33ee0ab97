/** A pool of Postgres connections that maps int8 to bigint, timestamptz to Date, and columns to camelCase. */
import postgres from "postgres";

export type Sql = postgres.Sql<{ bigint: bigint }>;
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
/** What store functions accept: the pool, or a transaction on it. */
export type Db = Sql | Transaction;

export type PostgresConfig = { url: string; maxConnections: number };

/** Postgres ends a transaction, and frees its locks, when its process has been idle for this long: it may be paused. */
const IDLE_IN_TRANSACTION_MS = 5_000;

export function connectPostgres(config: PostgresConfig, applicationName: string): Sql {
  return postgres<{ bigint: postgres.PostgresType<bigint> }>(config.url, {
    max: config.maxConnections,
    types: { bigint: postgres.BigInt },
    onnotice: () => {},
    connection: {
      application_name: applicationName,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connect_timeout: 10,
  }) as unknown as Sql;
}
