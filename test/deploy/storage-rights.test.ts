/** What compose.yaml lets delivery do at the storage: what its code does, in its own bucket. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readCompose } from "../support/compose/compose-file.ts";

const STORAGE = "services/delivery/storage";

/** The rights that requests need: those of an upload in parts are those of a whole one, and so on. */
const RIGHTS: Record<string, string> = {
  AbortMultipartUpload: "s3:AbortMultipartUpload",
  DeleteObject: "s3:DeleteObject",
  GetObject: "s3:GetObject",
  HeadObject: "s3:GetObject",
  ListObjectsV2: "s3:ListBucket",
  PutObject: "s3:PutObject",
};

type Policy = { Statement: { Effect: string; Action: string[]; Resource: string[] }[] };

const services = readCompose((name) => `the ${name}`);
const environmentOf = (name: string) => services.get(name)?.environment ?? {};
const delivery = environmentOf("delivery");

it("delivery has no key of the storage's root", () => {
  const root = environmentOf("s3");
  expect(root["MINIO_ROOT_PASSWORD"]).toBeDefined();
  expect(delivery["S3_ACCESS_KEY_ID"]).not.toBe(root["MINIO_ROOT_USER"]);
  expect(delivery["S3_SECRET_ACCESS_KEY"]).not.toBe(root["MINIO_ROOT_PASSWORD"]);
});

it("its own user has the rights that its code needs, at its bucket only", () => {
  const job = services.get("s3-bucket");
  expect(job?.environment).toMatchObject({
    S3_USER: delivery["S3_ACCESS_KEY_ID"],
    S3_PASSWORD: delivery["S3_SECRET_ACCESS_KEY"],
  });
  const { Statement } = JSON.parse(job?.configs["/policy.json"] ?? "{}") as Policy;
  const code = readdirSync(STORAGE).map((name) => readFileSync(join(STORAGE, name), "utf8"));
  const named = [...code.join("\n").matchAll(/new (\w+)Command\(|paginate(\w+)\(|new (Upload)\(/g)];
  const requests = named.flatMap(([, command, listing, upload]) =>
    upload ? ["PutObject", "AbortMultipartUpload"] : (command ?? listing ?? ""),
  );
  expect([...new Set(Statement.flatMap(({ Action }) => Action))].toSorted()).toEqual(
    [...new Set(requests.map((name) => RIGHTS[name] ?? name))].toSorted(),
  );
  for (const { Effect, Resource } of Statement) {
    expect(Effect).toBe("Allow");
    for (const one of Resource) expect(one).toMatch(/^arn:aws:s3:::assets(\/\*)?$/);
  }
  expect(delivery["S3_BUCKET"]).toBe("assets");
});
