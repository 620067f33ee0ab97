/** A pool of Postgres connections with this project's types: bigint for int8, Date for timestamptz. */
import postgres from "postgres";

export type Sql = postgres.Sql<{ bigint: bigint }>;
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
/** What a store function needs: the pool, or a transaction on it. */
export type Db = Sql | Transaction;

export type PostgresConfig = { url: string; maxConnections: number };

export function connectPostgres(config: PostgresConfig, applicationName: string): Sql {
  return postgres<{ bigint: postgres.PostgresType<bigint> }>(config.url, {
    max: config.maxConnections,
    types: { bigint: postgres.BigInt },
    onnotice: () => {},
    connection: { application_name: applicationName },
    connect_timeout: 10,
  }) as unknown as Sql;
}
