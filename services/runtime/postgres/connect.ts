/** A pool of Postgres connections with this project's types: bigint for int8, Date for timestamptz. */
import postgres from "postgres";

export type Sql = postgres.Sql<{ bigint: bigint }>;
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
/** What a store function needs: the pool, or a transaction on it. */
export type Db = Sql | Transaction;

export type PostgresConfig = { url: string; maxConnections: number };

/** A process that is paused in the middle of a transaction loses it, and its locks, after this long. */
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
    connect_timeout: 10,
  }) as unknown as Sql;
}
