/** The settings of the storage of outputs: a folder or a bucket. */
import { join } from "node:path";
import type { EnvReader } from "#runtime/env.ts";
import type { S3Config } from "./s3-client.ts";

export type StorageConfig =
  | { kind: "filesystem"; directory: string }
  | { kind: "s3"; s3: S3Config };

/** A bucket if S3_BUCKET names one or STORAGE says so, else STORAGE_DIR or `assets` in the data folder. */
export function readStorage(reader: EnvReader, dataDir: string): StorageConfig {
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
    credentials: readCredentials(reader),
    forcePathStyle: reader.oneOf("S3_FORCE_PATH_STYLE", ["true", "false"], "false") === "true",
  };
  return { kind, s3 };
}

function readCredentials(reader: EnvReader): S3Config["credentials"] {
  const names = ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;
  if (names.every((name) => reader.optional(name) === undefined)) return undefined;
  const [accessKeyId, secretAccessKey] = names.map((name) => reader.string(name));
  return { accessKeyId: accessKeyId ?? "", secretAccessKey: secretAccessKey ?? "" };
}
