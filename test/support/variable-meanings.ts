/** What each variable means, in the words of docs/variables.md. A name in one service may mean another thing there. */
export const MEANINGS: Readonly<Record<string, string>> = {
  ACCOUNT_CONCURRENCY: "tasks of an account at upstreams at a time, per mode and kind",
  ADMIN_DATABASE_URL:
    "for `ops provision`: a role that may create roles and databases, and the maintenance database",
  ASSETS_PORT: "where stored files are served to the gateway; 0: any free port",
  ASSET_BASE_URL:
    "what the addresses of stored files begin with; default: `PUBLIC_URL` and `/assets`",
  AUTH_SECRET: "signs the dashboard's sessions; 32 characters or more, the same for all replicas",
  BILLING_URL:
    "RPC address of billing; several, or one name with several addresses, reach all replicas",
  AWS_REGION: "used where `S3_REGION` is unset",
  CALLBACK_BASE_URL:
    "what the callback addresses given to upstreams begin with; unset: upstreams are only polled",
  CALLBACK_SECRET_FILE:
    "signs callback addresses; 32 characters or more, the same for all replicas",
  CATALOG_FILE: "models and prices",
  DATABASE_CONNECTIONS: "connections to Postgres of this process",
  DATABASE_URL: "Postgres as the service's role; PgBouncer in transaction mode will do",
  DATA_DIR: "temporary files of running copies",
  DELIVERY_ASSETS_URL:
    "where delivery serves stored files; the next of several is asked when one cannot be reached",
  DELIVERY_URL:
    "RPC address of delivery; several, or one name with several addresses, reach all replicas",
  DRAIN_MS: "how long work in progress may take when the process stops",
  EGRESS_ALLOW:
    "address blocks that may be called although they are not public, by plain http too: with `127.0.0.0/8` webhooks reach this machine; refused in production",
  GENERATION_URL:
    "RPC address of generation; several, or one name with several addresses, reach all replicas",
  HOST: "the address on which RPCs, health and metrics are served; `0.0.0.0` in a container",
  LAME_DUCK_MS: "how long a stop goes on serving first, not ready any more",
  LIVE_PROVIDER: "`simulator`: the simulator also serves live mode; refused in production",
  LOG_LEVEL:
    "`trace`, `debug`, `info`, `warn`, `error` or `silent`; other levels of single services follow, as in `info,delivery=debug`",
  LOG_READS_ONE_IN:
    "of so many successful reads one has a line in the log; all other requests have one each",
  REQUEST_LOG_DAYS:
    "days for which an account finds its API requests; 0: none are recorded, and those that are there are deleted",
  STATUS_PORT: "the port on loopback that shows `/status`; 0: any free port",
  OTEL_EXPORTER_OTLP_ENDPOINT:
    "where traces are sent, to `/v1/traces` under it (OTLP over HTTP, protobuf); without it nothing is traced",
  OTEL_TRACES_SAMPLER_ARG: "the part of traces that is recorded, 0 to 1",
  MAIL_DIR:
    "without SMTP_URL: the folder to which mails are written; `npm start`: `mails` in the data folder",
  MAIL_FROM: "with SMTP_URL: the sender of mails, `name@example.com` or `Name <name@example.com>`",
  MAX_COPIES: "copies of outputs that run at once",
  MIGRATE_DATABASE_URL:
    "Postgres as the role that owns the schema; set: it is migrated at the start; unset: the start waits for `ops migrate`",
  NATS_CA_FILE: "PEM of the authority that signed the servers' certificates",
  NATS_CERT_FILE: "PEM of the client's certificate, with `NATS_KEY_FILE`",
  NATS_CREDS_FILE: "a user's JWT and seed, as `nsc` writes them; read at each connect",
  NATS_KEY_FILE: "PEM of the client's key",
  NATS_NKEY_FILE: "an NKey seed",
  NATS_PASSWORD: "of `NATS_USER`",
  NATS_REPLICAS: "servers that keep a copy of the stream; 3 in a cluster",
  NATS_TOKEN: "a token instead of a user",
  NATS_URL: "the servers; default `nats://127.0.0.1:4222`; `tls://` demands TLS",
  NATS_USER: "with `NATS_PASSWORD`",
  NODE_ENV: "`production` refuses settings for development",
  OIDC_CLIENT_ID: "of the identity provider",
  OIDC_CLIENT_SECRET: "of the identity provider",
  OIDC_DISCOVERY_URL: "of the identity provider for signing in; unset: e-mail and password only",
  OIDC_NAME: "the label of its sign-in button",
  PORT: "the public port; 0: any free port",
  PROVIDER_KEYS_DIR: "a folder with the key of each credential in a file of its name",
  "PROVIDER_KEY_<CREDENTIAL>":
    "the key of a credential: `PROVIDER_KEY_ARK_1` is that of `ark-1`; a file in `PROVIDER_KEYS_DIR` takes precedence",
  "PROVIDER_CALLBACK_SECRET_<CREDENTIAL>":
    "verifies the callbacks of a credential's upstream; a file `<credential>.callback` in `PROVIDER_KEYS_DIR` takes precedence",
  PROVENANCE:
    "the mark of AI-generated content: `embed` writes the IPTC digital source type into outputs that have none, without changing the picture; `detect` stores them as they come",
  PUBLIC_HOST: "the address on which the public port is opened; `0.0.0.0` in a container",
  PUBLIC_URL: "the address that clients use; default `http://localhost` and the port",
  RPC_TLS: "`optional`: the RPC port also takes connections without TLS, while TLS is introduced",
  RPC_TLS_CA_FILE:
    "PEM of the authority that signs the certificates of all services; unset: RPCs are not encrypted",
  RPC_TLS_CERT_FILE:
    "PEM of this service's certificate, for its port and its calls; it names the hosts of its URLs",
  RPC_TLS_KEY_FILE: "PEM of this service's key",
  RPC_PORT: "RPCs, gRPC health and `/metrics`; 0: any free port",
  S3_ACCESS_KEY_ID: "of the bucket; both unset: the credential chain of Amazon's SDK",
  S3_BUCKET: "where outputs are kept",
  S3_ENDPOINT: "for S3-compatible storage; unset: Amazon's",
  S3_FORCE_PATH_STYLE: "`true`: the bucket is in the path, not in the host name",
  S3_REGION: "of the bucket; not required where `AWS_REGION` is set",
  S3_SECRET_ACCESS_KEY: "of the bucket; both unset: the credential chain of Amazon's SDK",
  SERVICE_KEY_FILE: "this service's private key (`ops service-key`); read again every 5 s",
  TOKEN_PRICE:
    "about what a live Token costs, `0.01 USD`: a decimal and an ISO 4217 currency; without it no money is shown",
  SIGN_UP: "who may sign up to the dashboard; `invitation` in production",
  SIMULATOR_CACHE_DIR: "rendered files; replicas on one machine may share it",
  SIMULATOR_CACHE_MB: "the most that the cache may hold",
  SIMULATOR_PACE_MS: "how long a video takes; 0: as long as it takes to render",
  SIMULATOR_PORT: "0: any free port",
  SIMULATOR_RENDER: "`fixture`: one flat clip for each size and length, at next to no cost",
  SIMULATOR_SECRET:
    "encrypts job ids and signs file addresses; 32 characters or more, the same for all replicas",
  SIMULATOR_SECRET_FILE: "a file with `SIMULATOR_SECRET`",
  SIMULATOR_URL: "the simulator, the upstream of test mode",
  SIMULATOR_URL_TTL_MS: "how long the address of an output is valid",
  SMTP_URL:
    "the mail server, `smtp://` with STARTTLS or `smtps://`, with user and password; set: addresses are verified",
  STORAGE:
    "where outputs are kept; `s3` is the default where `S3_BUCKET` is set; replicas on several machines need `s3`",
  STORAGE_DIR: "the folder of `STORAGE=filesystem`",
  TLS_CERT: "PEM for the public port; unset: plain HTTP",
  TLS_KEY: "PEM for the public port",
  TRUSTED_KEYS_FILE: "everybody's public keys (`ops service-key`); read again every 5 s",
  TRUSTED_PROXIES:
    "the proxies whose `X-Forwarded-For` is believed: addresses, blocks that only they have, `loopback`",
  UPSTREAMS_FILE: "the upstreams of live mode ([upstreams.md](upstreams.md))",
  WEBHOOK_SECRET_KEY:
    "signing secrets are derived from it: base64 of 32 bytes; several: new secrets are of the first",
  WEBHOOK_SECRET_KEY_FILE: "a file with `WEBHOOK_SECRET_KEY`",
  WORKER_CONCURRENCY: "tasks in progress of this process",
  "simulator SIMULATOR_URL": "what the addresses of its files begin with; default: its own address",
  PROCESSES:
    "processes that share the public port; from 4 cores on, and with the embedded Postgres, half as many as cores, at most 4",
  "delivery ASSET_BASE_URL":
    "what the addresses of stored files begin with in webhooks; set it to the gateway's value; required in production; unset: the internal address, which clients cannot reach",
  "npm start CALLBACK_BASE_URL":
    "what the callback addresses given to upstreams begin with; unset: `PUBLIC_URL`; both unset: upstreams are only polled",
  "npm start DATABASE_URL":
    "a Postgres of yours, as a role that may create roles, or with the passwords of all roles; unset: embedded",
  "npm start NATS_URL": "NATS servers of yours; unset: embedded",
  "npm start S3_BUCKET": "a bucket of yours; unset: a folder",
  "npm start DATA_DIR": "database, streams, outputs, keys and logs",
  OPS_ENDPOINTS_FILE:
    'a file with the RPC addresses, `{"gateway":"http://…:9000",…}`; the default is in `DATA_DIR`',
  OPS_KEY_FILE: "the operator's private key (`ops service-key`); the default is in `DATA_DIR`",
  "ops DATA_DIR":
    "the data folder of `npm start`, which writes the addresses and the operator's key there",
  "ops MIGRATE_DATABASE_URL": "for `ops migrate` alone: Postgres as the role that owns the schema",
  "ops RPC_TLS": "`optional`: addresses may also begin with `http`, while TLS is introduced",
  "ops RPC_TLS_CERT_FILE": "PEM of the operator's certificate",
  "ops RPC_TLS_KEY_FILE": "PEM of the operator's key for TLS",
};
