/** Builds the address of a job in fal's queue, which is its upstream id: the application's name and the job's id. */
import { textAt } from "../shared/json.ts";

const ADDRESS = /^(\w[\w.-]*\/){2,4}requests\/[\w-]+$/;
/** Prefixes that can precede the application's name. */
const NAMESPACES = new Set(["workflows", "comfy"]);

/** Returns the address in an accepting answer if it is below the base URL, else the one derived from the model. */
export function receivedAddress(baseUrl: string, model: string, body: unknown): string | undefined {
  const given = textAt(body, "response_url") ?? "";
  const address = given.startsWith(`${baseUrl}/`) ? given.slice(baseUrl.length + 1) : "";
  if (ADDRESS.test(address)) return address;
  const id = textAt(body, "request_id");
  return id === undefined ? undefined : jobAddress(model, id);
}

/** A job's address has the application's name without the path of a function. */
export function jobAddress(model: string, requestId: string): string | undefined {
  const parts = model.split("/");
  const application = parts.slice(0, NAMESPACES.has(parts[0] ?? "") ? 3 : 2).join("/");
  const address = `${application}/requests/${requestId}`;
  return ADDRESS.test(address) ? address : undefined;
}
