/** The adapters that an upstreams file can name, with their default base URLs. */
import type { Adapter } from "../providers/shared/adapter.ts";
import { arkProvider } from "../providers/ark/ark.ts";
import { dashscopeProvider } from "../providers/dashscope/dashscope.ts";
import { falProvider } from "../providers/fal/fal.ts";
import { geminiProvider } from "../providers/gemini/gemini.ts";
import { openaiProvider } from "../providers/openai/openai.ts";
import { replicateProvider } from "../providers/replicate/replicate.ts";

/** Without `baseUrl` each upstream names its own; `baseUrlHint` says which. */
export type Adapters = Readonly<
  Record<string, { adapter: Adapter } & ({ baseUrl: string } | { baseUrlHint: string })>
>;

export const ADAPTERS: Adapters = {
  ark: { adapter: arkProvider, baseUrl: "https://ark.ap-southeast.bytepluses.com/api/v3" },
  // Model Studio documents a host for each workspace; the shared hosts are its older ones (Base URL overview).
  dashscope: {
    adapter: dashscopeProvider,
    baseUrlHint:
      "https://{WorkspaceId}.{region}.maas.aliyuncs.com, e.g. with the region ap-southeast-1",
  },
  fal: { adapter: falProvider, baseUrl: "https://queue.fal.run" },
  gemini: {
    adapter: geminiProvider,
    baseUrl: "https://generativelanguage.googleapis.com/v1",
  },
  openai: { adapter: openaiProvider, baseUrl: "https://api.openai.com/v1" },
  replicate: { adapter: replicateProvider, baseUrl: "https://api.replicate.com/v1" },
};
