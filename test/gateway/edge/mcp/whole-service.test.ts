/** The whole service as agents use it by MCP: from a sentence to the link of a video. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../../../clients/typescript/index.ts";
import { clientOf, newCustomer, type Customer } from "../../../support/customer.ts";
import { sharedService, type SharedService } from "../../../support/shared-service.ts";
import { CLIENTS, type McpClient } from "./clients.ts";

let service: SharedService;
let customer: Customer;
let native: Client;

beforeAll(async () => {
  service = await sharedService();
  customer = await newCustomer(service);
  native = clientOf(service.url, await customer.key("live"));
});

type Model = {
  id: string;
  inputs: string[];
  durations: { default: number };
  pricing: { tokens: number; unit_quantity: number };
};

/** As `how_priced` says. */
function priceOf({ durations, pricing }: Model): number {
  return Math.ceil(durations.default / pricing.unit_quantity) * pricing.tokens;
}

/** What an agent does with a wish: it looks for the cheapest model, tells the price, makes a video and waits for it. */
async function videoOf(client: McpClient, prompt: string, idempotency_key: string) {
  const { structuredContent: catalog } = await client.call("list_models", { kind: "video" });
  const [model] = ((catalog?.["models"] ?? []) as Model[])
    .filter(({ inputs }) => inputs.includes("text"))
    .toSorted((a, b) => priceOf(a) - priceOf(b));
  if (!model) throw new Error("no model makes a video of text");
  const heard: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => heard.push(progress);
  const wish = { model: model.id, prompt, idempotency_key };
  let got = await client.call("generate_video", wish);
  const first = got.structuredContent;
  while (/^(pending|processing)$/.test(String(got.structuredContent?.["status"])))
    got = await client.call(
      "get_generation",
      { id: first?.["id"], wait_seconds: 45 },
      { onprogress },
    );
  const link = got.content.find(({ type }) => type === "resource_link");
  return { price: priceOf(model), first, video: got.structuredContent, link, heard };
}

describe.each(CLIENTS)("an agent that speaks %s", (version, connect) => {
  it("makes a video of a sentence, waits for it and gets its link, at the price that it was told", async () => {
    const before = await native.balance.retrieve();
    await using client = await connect(service.url, await customer.key("live"));
    const wish = `A paper boat on a lake (${version})`;
    const { price, first, video, link, heard } = await videoOf(client, wish, `boat-${version}`);
    expect(first).toMatchObject({ status: "pending", mode: "live", credits: price });
    expect(video).toMatchObject({ status: "success", progress: 100 });
    expect(link).toMatchObject({ mimeType: "video/mp4" });
    const file = Buffer.from(await (await fetch(link?.uri ?? "")).arrayBuffer());
    expect(file.toString("latin1", 4, 8)).toBe("ftyp");
    expect(heard.length).toBeGreaterThan(0);
    const after = await native.balance.retrieve();
    expect(before.available - after.available).toBe(price);

    const again = await videoOf(client, wish, `boat-${version}`);
    expect(again.first).toMatchObject({ id: first?.["id"], replayed: true });
    expect((await native.balance.retrieve()).available).toBe(after.available);
  });
});
