/** Tests of videos by each of what decodes and encodes them: the library and ffmpeg. */
import { existsSync } from "node:fs";
import { describe } from "vitest";
import { FFMPEG, type VideoCodecs } from "#runtime/video-codecs.ts";

export const hasFfmpeg = existsSync(FFMPEG);

/** Those of ffmpeg are skipped where scripts/test-tools.mjs could not install it. */
export function describeByCodecs(title: string, tests: (codecs: VideoCodecs) => void): void {
  describe(`${title}, by the library`, () => {
    tests("library");
  });
  describe.skipIf(!hasFfmpeg)(`${title}, by ffmpeg`, () => {
    tests("ffmpeg");
  });
}
