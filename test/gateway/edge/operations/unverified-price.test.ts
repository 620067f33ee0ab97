/** A model without a verified price, with the real generation and billing behind the gateway. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  defaultCatalogPath,
  openCatalog,
} from "../../../../services/generation/catalog/catalog.ts";
import {
  generationHarness,
  type Harness as Generation,
} from "../../../support/generation-harness.ts";
import { startHarness, type Harness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const UNVERIFIED = "gamma-image-unverified";

let generation: Generation;
let gateway: Harness;
let key: { accountId: string; secret: string };
const stack = new AsyncDisposableStack();

/** The gateway in front of the real rules, prices and ledger, with one more model in the catalog. */
beforeAll(async () => {
  const { path: directory } = stack.use(await temporaryFolder());
  const catalogPath = join(directory, "models.json");
  await writeFile(catalogPath, await catalogWithUnverified());
  generation = stack.use(await generationHarness());
  generation.deps.catalog = openCatalog(catalogPath);
  gateway = stack.use(await startHarness());
  const { createVideo, createImage, listModels } = generation.client;
  Object.assign(gateway.backends, { createVideo, createImage, listModels });
  key = await gateway.newKey("live");
  await generation.billing.recharge({ accountId: key.accountId, mode: Mode.LIVE, tokens: 1_000n });
});
beforeEach(() => generation.reset());
afterAll(() => stack.disposeAsync());

/** The project's catalog with a copy of its image model that has no price. */
async function catalogWithUnverified(): Promise<string> {
  type Model = { id: string; pricing?: object };
  const catalog = JSON.parse(await readFile(defaultCatalogPath, "utf8")) as { models: Model[] };
  const model = catalog.models.find(({ id }) => id === "gamma-image-3.0-pro");
  const { pricing: _, ...unpriced } = model ?? { id: "" };
  return JSON.stringify({
    ...catalog,
    models: [...catalog.models, { ...unpriced, id: UNVERIFIED }],
  });
}

describe("an image model whose price is not verified", () => {
  it("is listed as unavailable and without a price", async () => {
    const headers = headersOf(key.secret);
    const list = await gateway.send("/v1/models", { headers });
    const { data } = (await list.json()) as { data: { id: string }[] };
    const one = await gateway.send(`/v1/models/${UNVERIFIED}`, { headers });
    const model = await one.json();
    expect(model).toMatchObject({
      id: UNVERIFIED,
      kind: "image",
      availability: "unavailable",
      unavailable_reason: "pricing_unverified",
      pricing: null,
    });
    expect(data).toContainEqual(model);
  });

  it("is refused with 400 model_unavailable, without a reservation or an upstream call", async () => {
    const more = { "idempotency-key": "one" };
    const body = { model: UNVERIFIED, prompt: "a cat" };
    const response = await gateway.send("/v1/images/generations", post(key.secret, body, more));
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      type: "invalid_request_error",
      code: "model_unavailable",
      param: "model",
      message: expect.stringContaining("pricing_unverified"),
    });
    expect(await generation.balance(key.accountId)).toEqual([1_000n, 0n]);
    const { transactions } = await generation.billing.listTransactions({
      accountId: key.accountId,
      mode: Mode.LIVE,
      limit: 100,
    });
    expect(transactions).toHaveLength(1);
    expect(generation.provider.submitted).toEqual([]);
  });
});
