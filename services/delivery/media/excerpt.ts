/** Takes the beginning of a video as a small file in memory, without decoding it. */
import {
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  MkvOutputFormat,
  Output,
  type InputVideoTrack,
} from "mediabunny";
import { MAX_SEARCH_SECONDS } from "./scaled-frames.ts";

/** The size of the longest excerpt: one of a video with more than 40 Mbit/s has fewer seconds. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The seconds to search, as Matroska: it holds every codec and is read from a pipe. Undefined if the codec is unknown. */
export async function excerptOf(track: InputVideoTrack): Promise<Uint8Array | undefined> {
  const codec = await track.getCodec();
  const decoderConfig = await track.getDecoderConfig();
  if (codec === null || decoderConfig === null) return undefined;
  const target = new BufferTarget();
  const output = new Output({ format: new MkvOutputFormat(), target });
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source);
  await output.start();
  const begin = await track.getFirstTimestamp();
  let bytes = 0;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    bytes += packet.byteLength;
    const timestamp = packet.timestamp - begin;
    if (timestamp >= MAX_SEARCH_SECONDS || bytes > MAX_BYTES) break;
    await source.add(packet.clone({ timestamp }), { decoderConfig });
  }
  await output.finalize();
  return target.buffer === null ? undefined : new Uint8Array(target.buffer);
}
