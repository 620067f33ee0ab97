/** The request that is sent with a key first: one that the key may make. */
import type { Schemas } from "../api/client.ts";
import { useModels } from "./queries.ts";
import { createRequest, readModels, type SampleRequest } from "./samples.ts";

const FALLBACK_MODEL = { id: "beta-3.0-video", kind: "video" } as const;

export function useFirstRequest(permissions?: Schemas["KeyPermissions"]): SampleRequest {
  const { data: catalog = [] } = useModels();
  const { access, kinds, models } = permissions ?? {};
  if (access === "read") return readModels();
  const possible = catalog.filter(
    ({ id, kind, availability, required_inputs: required }) =>
      availability === "available" &&
      !required.includes("image") &&
      (kinds?.includes(kind) ?? true) &&
      (models?.includes(id) ?? true),
  );
  const [first = FALLBACK_MODEL] = possible;
  const { id, kind } = possible.find((model) => model.kind === "video") ?? first;
  return createRequest(kind, { model: id, prompt: "A cat asleep on a warm radiator" });
}
