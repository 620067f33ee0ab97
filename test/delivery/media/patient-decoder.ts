/** A decoder for tests of what it makes: its processes give way to all others, so that a busy machine keeps no time limit. */
import {
  createMediaDecoder,
  type MediaDecoder,
  type MediaDecoderOptions,
} from "../../../services/delivery/media/decoder.ts";

const LONG_MS = 600_000;
const PATIENT = { timeoutsMs: { header: LONG_MS, thumbnail: LONG_MS, image: LONG_MS } };

export const patientDecoder = (options: MediaDecoderOptions = {}): MediaDecoder =>
  createMediaDecoder({ ...PATIENT, ...options });
