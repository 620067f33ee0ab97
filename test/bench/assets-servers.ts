/** Servers of the assets benchmark, in their own process: an upstream with one large video, an S3 that stores nothing. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { startHttp } from "../support/http-server.ts";
import { makeVideo } from "../support/make-media.ts";

const CHUNK_BYTES = 256 * 1024;
const BOX_HEADER_BYTES = 8;

const bytes = Number(process.argv[2]);
const video = await makeVideo({ width: 1280, height: 720, durationSeconds: 2, blackSeconds: 0.5 });

const upstream: RequestListener = (_, response) => {
  response.writeHead(200, { "content-length": bytes });
  // The reader disconnects when the benchmark ends.
  pipeline(Readable.from(padded()), response).catch(() => undefined);
};

/** The video, padded to the size with an MP4 box of zeros. */
function* padded(): Generator<Uint8Array> {
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(bytes - video.byteLength, 0);
  header.write("free", 4, "latin1");
  yield Buffer.concat([video, header]);
  const zeros = Buffer.alloc(CHUNK_BYTES);
  for (let left = bytes - video.byteLength - BOX_HEADER_BYTES; left > 0; left -= CHUNK_BYTES) {
    yield zeros.subarray(0, Math.min(left, CHUNK_BYTES));
  }
}

function discard(request: IncomingMessage, response: ServerResponse): void {
  const { searchParams } = new URL(request.url ?? "", "http://sink");
  request.resume().on("end", () => {
    response.setHeader("etag", '"sink"');
    if (request.method !== "POST") return void response.end();
    const isStart = searchParams.has("uploads");
    const name = isStart ? "InitiateMultipartUploadResult" : "CompleteMultipartUploadResult";
    const id = isStart ? "<UploadId>sink</UploadId>" : "<ETag>sink</ETag>";
    response.setHeader("content-type", "application/xml");
    return void response.end(`<?xml version="1.0"?><${name}>${id}</${name}>`);
  });
}

const source = await startHttp(upstream);
const sink = await startHttp(discard);
process.send?.({ sourceUrl: source.url, sinkUrl: sink.url });
process.once("disconnect", () => process.exit());
