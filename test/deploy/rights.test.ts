/** What the containers of compose.yaml may read and do at the storage, and who may join NATS: each no more than it needs. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { SERVICES } from "#runtime/service/service.ts";
import { readCompose } from "../support/compose/compose-file.ts";

type Mount =
  | string
  | { source: string; target: string; read_only?: boolean; volume: { subpath: string } };
type Service = { volumes?: Mount[]; command?: string[] };

const { services } = parse(readFileSync("deploy/compose.yaml", "utf8"), { merge: true }) as {
  services: Record<string, Service>;
};

/** The files of the keys that a container has; "all" where it has the folder. */
function keysOf({ volumes = [] }: Service): string[] {
  return volumes.flatMap((mount) => {
    if (typeof mount === "string") return mount.startsWith("keys:") ? ["all"] : [];
    expect(mount).toMatchObject({ source: "keys", read_only: true });
    expect(mount.target).toBe(`/keys/${mount.volume.subpath}`);
    return [mount.volume.subpath];
  });
}

it("gives each service its own key and trusted.json, and the operator's key to ops alone", () => {
  const found = Object.entries(services).map(([name, service]) => [name, keysOf(service)] as const);
  expect(Object.fromEntries(found.filter(([, keys]) => keys.length > 0))).toEqual({
    ...Object.fromEntries(SERVICES.map((name) => [name, [`${name}.json`, "trusted.json"]])),
    keys: ["all"],
    ops: ["ops.json"],
  });
});

it("lets nobody join the cluster of NATS without its password", () => {
  const servers = Object.entries(services).filter(([name]) => name.startsWith("nats-"));
  expect(servers).toHaveLength(3);
  for (const [, { command = [] }] of servers) {
    const urls = command.filter((one) => /^--(?:cluster|routes)=/.test(one)).join(",");
    expect(urls.match(/nats:\/\//g)).toHaveLength(4);
    expect(urls.match(/nats:\/\/routes:\$\{NATS_PASSWORD:\?\}@/g)).toHaveLength(4);
  }
});

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

const filled = readCompose((name) => `the ${name}`);
const environmentOf = (name: string) => filled.get(name)?.environment ?? {};
const delivery = environmentOf("delivery");

it("delivery has no key of the storage's root", () => {
  const root = environmentOf("s3");
  expect(root["MINIO_ROOT_PASSWORD"]).toBeDefined();
  expect(delivery["S3_ACCESS_KEY_ID"]).not.toBe(root["MINIO_ROOT_USER"]);
  expect(delivery["S3_SECRET_ACCESS_KEY"]).not.toBe(root["MINIO_ROOT_PASSWORD"]);
});

it("its own user has the rights that its code needs, at its bucket only", () => {
  const job = filled.get("s3-bucket");
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
