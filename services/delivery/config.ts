/** Delivery's configuration; the only reader of its environment. */
import { join } from "node:path";
import { readEgressAllow } from "#runtime/address.ts";
import { envReader, stringOrFile, type Env, type EnvReader } from "#runtime/env.ts";
import { readServiceConfig } from "#runtime/service/service.ts";
import type { S3Config } from "./storage/s3.ts";
import { parseSecretKeys } from "./webhook/signing-secrets.ts";

/** The storage of outputs: a folder or a bucket. */
export type StorageConfig = ReturnType<typeof readStorage>;

export type DeliveryConfig = ReturnType<typeof readConfig>;

/** Throws a ConfigError that names every invalid setting. */
export function readConfig(env: Env) {
  const reader = envReader(env);
  const dataDir = reader.string("DATA_DIR", ".data");
  return reader.done({
    ...readServiceConfig(reader),
    assetsPort: reader.integer("ASSETS_PORT", 0, 0, 65_535),
    /** The URL under which clients reach assets; undefined, not in production: the asset server's own address. */
    assetBaseUrl: readAssetBaseUrl(reader),
    ...readTuning(reader, dataDir),
    /** Holds the temporary files of running copies. */
    dataDir,
    /** Copies of outputs that run at once. */
    maxCopies: reader.integer("MAX_COPIES", 32, 1, 1_000),
    /** The master keys of signing secrets: new secrets are derived from the first. */
    webhookSecretKeys: readSecretKeys(reader),
  });
}

/** Settings that `npm start` takes, too. */
export function readTuning(reader: EnvReader, dataDir: string) {
  return {
    storage: readStorage(reader, dataDir),
    /** CIDR blocks that may be called although they are not public; for development. */
    egressAllow: readEgressAllow(reader),
    /** Whether outputs without a mark of AI-generated content get one: they have to be marked in the European Union. */
    provenance: reader.oneOf("PROVENANCE", ["embed", "detect"], "embed"),
  };
}

function readAssetBaseUrl(reader: EnvReader): string | undefined {
  if (reader.optional("ASSET_BASE_URL") !== undefined) return reader.url("ASSET_BASE_URL");
  if (reader.isProduction) {
    reader.problem(
      "ASSET_BASE_URL is required in production: set it to the gateway's, which is PUBLIC_URL and /assets unless set; without it webhooks name files by an address that clients cannot reach",
    );
  }
  return undefined;
}

/** Reads the keys from WEBHOOK_SECRET_KEY, or from the file that WEBHOOK_SECRET_KEY_FILE names. */
function readSecretKeys(reader: EnvReader): [Buffer, ...Buffer[]] {
  const name = "WEBHOOK_SECRET_KEY";
  const text = stringOrFile(reader, name);
  try {
    if (text !== "") return parseSecretKeys(text);
  } catch (error) {
    reader.problem(`${name}: ${(error as Error).message}`);
  }
  return [Buffer.alloc(0)];
}

/** A bucket if S3_BUCKET names one or STORAGE says so, else STORAGE_DIR or `assets` in the data folder. */
function readStorage(reader: EnvReader, dataDir: string) {
  const preferred = reader.optional("S3_BUCKET") === undefined ? "filesystem" : "s3";
  const kind = reader.oneOf("STORAGE", ["filesystem", "s3"], preferred);
  if (kind === "filesystem") {
    return { kind, directory: reader.string("STORAGE_DIR", join(dataDir, "assets")) };
  }
  const endpoint = reader.optional("S3_ENDPOINT") && reader.url("S3_ENDPOINT");
  const s3 = {
    ...(endpoint === undefined ? {} : { endpoint }),
    region: reader.string("S3_REGION", reader.optional("AWS_REGION")),
    bucket: reader.string("S3_BUCKET"),
    ...readCredentials(reader),
    forcePathStyle: reader.oneOf("S3_FORCE_PATH_STYLE", ["true", "false"], "false") === "true",
  };
  return { kind, s3 };
}

function readCredentials(reader: EnvReader): Pick<S3Config, "credentials"> {
  const [id, secret] = ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;
  if (reader.optional(id) === undefined && reader.optional(secret) === undefined) return {};
  return {
    credentials: { accessKeyId: reader.string(id), secretAccessKey: reader.string(secret) },
  };
}
