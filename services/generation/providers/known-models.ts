/** The vendors' names of models that are known, with their date. An unknown one is no fault: it may be newer. */

/** When the lists were last compared with the vendors' documents and SDKs. */
export const MODELS_KNOWN_ON = "2026-11-23";

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  dashscope: [
    "wan2.5-i2v-preview",
    "wan2.5-t2v-preview",
    "wan2.6-i2v",
    "wan2.6-i2v-flash",
    "wan2.6-image",
    "wan2.6-t2v",
    "wan2.7-i2v",
    "wan2.7-image",
    "wan2.7-image-pro",
    "wan2.7-r2v",
    "wan2.7-t2v",
    "wan3.0-video",
    "wan3.0-video-prime",
    "qwen-image-3.0",
  ],
  ark: [
    "dreamina-seedance-2-0-260128",
    "dreamina-seedance-2-0-fast-260128",
    "dreamina-seedance-2-0-mini-260615",
    "dreamina-seedance-2-5-260628",
    "seedance-1-5-pro-251215",
    "seedance-1-0-pro-250528",
    "seedream-4-0-250828",
    "seedream-4-5-251128",
    "seedream-5-0-260128",
    "dola-seedream-5-0-pro-260628",
  ],
  fal: [
    "fal-ai/kling-video/v3/pro/image-to-video",
    "fal-ai/kling-video/v3/pro/text-to-video",
    "fal-ai/kling-video/v3/standard/image-to-video",
    "fal-ai/kling-video/v3/standard/text-to-video",
    "fal-ai/veo3.1",
    "fal-ai/veo3.1/fast",
    "fal-ai/veo3.1/fast/image-to-video",
    "fal-ai/veo3.1/image-to-video",
    "fal-ai/wan/v2.7/image-to-video",
    "fal-ai/wan/v2.7/text-to-image",
    "fal-ai/wan/v2.7/text-to-video",
  ],
  replicate: ["bytedance/seedance-2.0"],
  gemini: [
    "gemini-3-pro-image",
    "gemini-3.1-flash-image",
    "gemini-3.1-flash-lite-image",
    "gemini-omni-1.1-flash",
    "gemini-omni-1.2-flash",
    "gemini-omni-flash-preview",
  ],
  openai: [
    "gpt-image-1",
    "gpt-image-1-mini",
    "gpt-image-1.5",
    "gpt-image-2",
    "gpt-image-2-2026-04-21",
    "gpt-image-2.5-flare",
    "gpt-image-2.5-flare-2026-09-08",
    "gpt-image-2.5-sunburst",
    "gpt-image-2.5-sunburst-2026-09-08",
    "gpt-image-2.6",
  ],
};
/** Names that customers of Ark give to endpoints of their own. */
const OWN_ENDPOINT = /^ep-/;

/** True too for a provider without a list, e.g. the simulator. */
export function isKnownModel(provider: string, model: string): boolean {
  const known = Object.hasOwn(KNOWN, provider) ? KNOWN[provider] : undefined;
  return known === undefined || known.includes(model) || OWN_ENDPOINT.test(model);
}
