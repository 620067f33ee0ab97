/** The provider of a new customer, with the whole service behind it. */
import {
  createMediaGeneration,
  type MediaGenerationSettings,
} from "../../../clients/ai-sdk/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";

export const VIDEO = "alpha-2.0-fast";
export const VIDEO_TOKENS = 169;
export const IMAGE = "gamma-image-3.0-pro";
export const poll = { intervalMs: 100 };

export type Provided = Awaited<ReturnType<typeof newProvider>>;

/** `native` is the customer's client of the API, `spent` the Tokens that something costs. */
export async function newProvider() {
  const service = await sharedService();
  const customer = await newCustomer(service);
  const providerWith = async (settings: MediaGenerationSettings = {}) =>
    createMediaGeneration({
      apiKey: await customer.key("live"),
      baseURL: service.url,
      ...settings,
    });
  const media = await providerWith();
  const native = clientOf(service.url, await customer.key("live"));
  const spent = async (use: () => Promise<unknown>): Promise<number> => {
    const before = await native.balance.retrieve();
    await use();
    return before.available - (await native.balance.retrieve()).available;
  };
  return { service, customer, media, native, providerWith, spent };
}

/** Loses the answer to the first request of that path after the service has handled it. */
export const losingFirst = (path: string): MediaGenerationSettings => {
  let isLost = false;
  return {
    timing: { sleep: async () => {} },
    fetch: async (request, init) => {
      const response = await fetch(request, init);
      if (isLost || !request.url.endsWith(path)) return response;
      isLost = true;
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    },
  };
};

type Listed = { id: string; url: string; generation_id?: string };
export const listed = (metadata: object | undefined): Listed[] =>
  Object.values((metadata as { mediaGeneration: object }).mediaGeneration)[0] as Listed[];
