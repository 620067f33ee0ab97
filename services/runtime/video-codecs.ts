/** What decodes and encodes videos here: npm brings a library, the image has Debian's ffmpeg instead. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

export type VideoCodecs = "library" | "ffmpeg" | "none";

export const FFMPEG = "/usr/bin/ffmpeg";
const LIBRARY = "@mediabunny/server";

/** The library first: it starts no program. */
export function installedVideoCodecs(): VideoCodecs {
  try {
    createRequire(import.meta.url).resolve(LIBRARY);
    return "library";
  } catch {
    return existsSync(FFMPEG) ? "ffmpeg" : "none";
  }
}
