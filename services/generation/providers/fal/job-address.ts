/** Where a job lies in fal's queue: its application's name and its id are the upstream id. */
import { textAt } from "../shared/json.ts";

const ADDRESS = /^(\w[\w.-]*\/){2,4}requests\/[\w-]+$/;
/** Their names stand before the application's. */
const NAMESPACES = new Set(["workflows", "comfy"]);

/** The address that an accepting answer names, if it is one of the base's own; else the one that follows from the model. */
export function receivedAddress(baseUrl: string, model: string, body: unknown): string | undefined {
  const given = textAt(body, "response_url") ?? "";
  const address = given.startsWith(`${baseUrl}/`) ? given.slice(baseUrl.length + 1) : "";
  if (ADDRESS.test(address)) return address;
  const id = textAt(body, "request_id");
  return id === undefined ? undefined : jobAddress(model, id);
}

/** Jobs lie at the application, without the path that names one of its functions. */
export function jobAddress(model: string, requestId: string): string | undefined {
  const parts = model.split("/");
  const application = parts.slice(0, NAMESPACES.has(parts[0] ?? "") ? 3 : 2).join("/");
  const address = `${application}/requests/${requestId}`;
  return ADDRESS.test(address) ? address : undefined;
}
