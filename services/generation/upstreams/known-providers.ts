/** The providers that an upstreams file can name, with their default base URLs. */
import type { CreateProvider } from "../providers/provider.ts";
import { arkProvider } from "../providers/vendors/ark.ts";
import { dashscopeProvider } from "../providers/vendors/dashscope.ts";
import { falProvider } from "../providers/vendors/fal.ts";
import { geminiProvider } from "../providers/vendors/gemini.ts";
import { openaiProvider } from "../providers/vendors/openai.ts";
import { replicateProvider } from "../providers/vendors/replicate.ts";

/** Without `baseUrl` each upstream names its own; `baseUrlHint` says which. */
type KnownProvider = { create: CreateProvider } & (
  | { baseUrl: string; baseUrlHint?: undefined }
  | { baseUrl?: undefined; baseUrlHint: string }
);

export type KnownProviders = Readonly<Record<string, KnownProvider>>;

export const KNOWN_PROVIDERS: KnownProviders = {
  ark: { create: arkProvider, baseUrl: "https://ark.ap-southeast.bytepluses.com/api/v3" },
  // Model Studio documents a host for each workspace; the shared hosts are its older ones (Base URL overview).
  dashscope: {
    create: dashscopeProvider,
    baseUrlHint:
      "https://{WorkspaceId}.{region}.maas.aliyuncs.com, e.g. with the region ap-southeast-1",
  },
  fal: { create: falProvider, baseUrl: "https://queue.fal.run" },
  gemini: { create: geminiProvider, baseUrl: "https://generativelanguage.googleapis.com/v1" },
  openai: { create: openaiProvider, baseUrl: "https://api.openai.com/v1" },
  replicate: { create: replicateProvider, baseUrl: "https://api.replicate.com/v1" },
};
