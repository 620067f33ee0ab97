/** Code samples that call the public API. They read the API key from the environment and never contain one. */
import type { SampleRequest } from "../../../samples/sample-languages.ts";
import type { Schemas } from "../api/client.ts";
import { useModels } from "./queries.ts";

const baseUrl = () => `${globalThis.location.origin}/v1`;

export function createRequest({ kind, body }: { kind: "video" | "image"; body: object }) {
  return {
    method: "POST",
    baseUrl: baseUrl(),
    path: `/${kind}s/generations`,
    hasIdempotencyKey: true,
    // An image is waited for without asking.
    waits: kind === "video",
    call: kind === "video" ? "videos.createAndWait" : "images.create",
    result: kind,
    body,
  };
}

const FALLBACK_MODEL = { id: "beta-3.0-video", kind: "video" } as const;

export function useFirstRequest(permissions?: Schemas["KeyPermissions"]): SampleRequest {
  const catalog = useModels().data?.data ?? [];
  const { access, kinds, models } = permissions ?? {};
  if (access === "read") {
    const request = { method: "GET", path: "/models", hasIdempotencyKey: false, body: undefined };
    return { ...request, baseUrl: baseUrl(), call: "models.list", result: "models" };
  }
  const possible = catalog.filter(
    ({ id, kind, availability, required_inputs: required }) =>
      availability === "available" &&
      !required.includes("image") &&
      (kinds?.includes(kind) ?? true) &&
      (models?.includes(id) ?? true),
  );
  const [first = FALLBACK_MODEL] = possible;
  const { id, kind } = possible.find((model) => model.kind === "video") ?? first;
  return createRequest({ kind, body: { model: id, prompt: "A cat asleep on a warm radiator" } });
}
