/** What the documentation is about, and the code samples on its pages. */
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { operationNodes, readDocument } from "../../../services/gateway/edge/http/contract.ts";
import { catalogModels } from "../backends.ts";
import type { SharedHarness } from "../harness.ts";

export const operations = operationNodes(readDocument("media"));

export const slugOf = (operationId: string) =>
  operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The samples on the page of an operation, by language. */
export async function samplesOf(harness: SharedHarness, operationId: string) {
  const text = await (await harness.send(`/docs/reference/${slugOf(operationId)}`)).text();
  const blocks = text.matchAll(/<section data-sample="(\w+)">.*?<code>(.*?)<\/code>/gs);
  return Object.fromEntries([...blocks].map(([, label = "", code = ""]) => [label, plain(code)]));
}

function plain(html: string): string {
  const entities = { quot: '"', "#x27": "'", lt: "<", gt: ">", amp: "&" };
  return Object.entries(entities).reduce(
    (text, [name, character]) => text.replaceAll(`&${name};`, character),
    html.replaceAll(/<[^>]+>/g, ""),
  );
}

/** Has the fake list the catalog as the service has it; returns its models. */
export function useCatalog(harness: SharedHarness): Model[] {
  harness.backends.listModels = () => ({ models: catalogModels });
  return catalogModels;
}
