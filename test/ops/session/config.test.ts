/** What is wrong with the operator's settings is said with the file, the entry and what is wanted. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import { readConfig, readMigrateConfig } from "../../../services/ops/session/config.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ENDPOINTS = {
  gateway: "http://gateway:9000",
  generation: ["http://generation-1:9000", "http://generation-2:9000"],
  billing: "https://billing:9000",
  delivery: "http://delivery:9000",
};
const key = (await generateIdentity("ops")).privateKey;

/** The settings of these files; without text there is no file. */
async function read(files: { endpoints?: unknown; key?: unknown }) {
  await using folder = await temporaryFolder();
  const paths = { endpoints: join(folder.path, "endpoints"), key: join(folder.path, "key") };
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    if (text !== undefined) await writeFile(paths[name as "key"], text);
  }
  return readConfig({ OPS_ENDPOINTS_FILE: paths.endpoints, OPS_KEY_FILE: paths.key });
}

it("takes one address of a service or several, and how many replicas it has to have", async () => {
  const replicas = { billing: 2 };
  const { urls, expected } = await read({ endpoints: { ...ENDPOINTS, replicas }, key });
  expect(expected).toEqual(replicas);
  expect(urls).toEqual({
    gateway: ["http://gateway:9000"],
    generation: ["http://generation-1:9000", "http://generation-2:9000"],
    billing: ["https://billing:9000"],
    delivery: ["http://delivery:9000"],
  });
});

it("names the variables where the files are missing, both at once", async () => {
  const reading = read({});
  await expect(reading).rejects.toThrow(/endpoints: not found: set OPS_ENDPOINTS_FILE/);
  await expect(reading).rejects.toThrow(/key: not found: set OPS_KEY_FILE/);
});

it.each([
  ["not JSON", "gateway=http://a:9000", /endpoints: it is not JSON: .*"gateway"/],
  ["a list", [], /endpoints: it must be .*"gateway"/],
  ["with a wrong count", { ...ENDPOINTS, replicas: { all: 2 } }, /"replicas" must be like/],
  ["with an empty list", { ...ENDPOINTS, billing: [] }, /endpoints: "billing" must be/],
  ["without a scheme", { ...ENDPOINTS, delivery: "delivery:9000" }, /"delivery" must be .*http/],
])("refuses addresses that are %s", async (_what, endpoints, reason) => {
  await expect(read({ endpoints, key })).rejects.toThrow(reason);
});

it("takes several servers of one cluster for the migration of a schema", () => {
  const url = "postgres://owner:password@a:1,b:2/media";
  expect(readMigrateConfig({ MIGRATE_DATABASE_URL: url })).toEqual({ url });
});

it.each([
  ["not JSON", "secret", /key: it is not JSON: [^"]*the operator's private key[^"]*$/],
  ["of another kind", { kty: "RSA", owner: "ops" }, /key: it must be the operator's private key/],
  ["public", { ...key, d: undefined }, /key: it must be the operator's private key/],
  ["a service's", { ...key, owner: "billing" }, /the operator's private key.*, not one of billing/],
])("refuses a key that is %s", async (_what, wrong, reason) => {
  await expect(read({ endpoints: ENDPOINTS, key: wrong })).rejects.toThrow(reason);
});
