/** Delivery's configuration: defaults, both storages, keys, and what production refuses. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "#runtime/env.ts";
import { readConfig } from "../../services/delivery/config.ts";
import { folderForTests } from "../support/temporary-folder.ts";

const directory = folderForTests();
const json = join(directory, "empty.json");
writeFileSync(json, "{}");

const KEY = Buffer.alloc(32, 7).toString("base64");
const ENV = {
  DATABASE_URL: "postgres://127.0.0.1/media",
  SERVICE_KEY_FILE: json,
  TRUSTED_KEYS_FILE: json,
  WEBHOOK_SECRET_KEY: KEY,
};

describe("the configuration", () => {
  it("names every missing S3 setting at once", () => {
    const read = () => readConfig({ ...ENV, STORAGE: "s3" });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/S3_REGION is required[^]*S3_BUCKET is required/);
  });

  it("reads the keys of signing secrets from the variable or a file, and refuses malformed ones", () => {
    const keys = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    const two = `${KEY},${Buffer.alloc(32, 8).toString("base64url")}`;
    expect(readConfig({ ...ENV, WEBHOOK_SECRET_KEY: two }).webhookSecretKeys).toEqual(keys);
    const file = join(directory, "keys");
    writeFileSync(file, two.replace(",", "\n"));
    const fromFile = { ...ENV, WEBHOOK_SECRET_KEY: "", WEBHOOK_SECRET_KEY_FILE: file };
    expect(readConfig(fromFile).webhookSecretKeys).toEqual(keys);
    writeFileSync(file, "");
    expect(() => readConfig(fromFile)).toThrow(/WEBHOOK_SECRET_KEY_FILE: \S+ is empty/);
    for (const WEBHOOK_SECRET_KEY of ["", "c2hvcnQ=", `${KEY},x`]) {
      expect(() => readConfig({ ...ENV, WEBHOOK_SECRET_KEY })).toThrow(/WEBHOOK_SECRET_KEY/);
    }
  });

  it("has to name the public address of files in production, because webhooks hold it", () => {
    const production = { ...ENV, NODE_ENV: "production" };
    expect(() => readConfig(production)).toThrow(/ASSET_BASE_URL is required in production/);
    const ASSET_BASE_URL = "https://media.example.com/assets";
    expect(readConfig({ ...production, ASSET_BASE_URL }).assetBaseUrl).toBe(ASSET_BASE_URL);
  });

  it("validates an allow-list in development, and refuses any in production", () => {
    const allow = "127.0.0.0/8, ::1";
    expect(readConfig({ ...ENV, EGRESS_ALLOW: allow }).egressAllow).toEqual(["127.0.0.0/8", "::1"]);
    expect(() => readConfig({ ...ENV, EGRESS_ALLOW: "localhost" })).toThrow(/EGRESS_ALLOW/);
    const production = { ...ENV, EGRESS_ALLOW: allow, NODE_ENV: "production" };
    expect(() => readConfig(production)).toThrow(/EGRESS_ALLOW must not be set/);
  });
});
