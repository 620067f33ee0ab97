/** The public OpenAPI document as it is served: with the address of this service. */
import type { Contract } from "../contract.ts";

export type ServedDocument = { json: string; yaml: string };

/** `publicUrl` has no trailing slash. */
export function servedDocument(
  { document, prefix, yaml }: Pick<Contract, "document" | "prefix" | "yaml">,
  publicUrl: string,
): ServedDocument {
  const [server] = document.servers;
  const url = `${publicUrl}${prefix}`;
  return {
    json: JSON.stringify({ ...document, servers: [{ ...server, url }] }),
    // The first line of this form: to parse the text and write it again takes 0.3 s and loses its layout.
    yaml: yaml.replace(`- url: ${prefix}\n`, () => `- url: ${url}\n`),
  };
}
