/** Receives traces over OTLP (HTTP, protobuf), as a collector does. */
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { startHttp } from "./http-server.ts";

export type ReceivedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  name: string;
  attributes: Record<string, string>;
};

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const receive = async (request: IncomingMessage) => {
    const body = await buffer(request);
    if (request.url === "/v1/traces") spans.push(...spansIn(body));
  };
  const server = await startHttp((request, response) => {
    void receive(request).then(() => {
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  return { url: server.url, spans, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What is at a path of field numbers; each of these fields has a length, as all that matter here. */
function at(message: Uint8Array, number: number, ...path: number[]): Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === number && wireType === 2) found.push(reader.bytes());
    else reader.skip(wireType);
  }
  const [next, ...rest] = path;
  return next === undefined ? found : found.flatMap((one) => at(one, next, ...rest));
}

const textOf = (bytes: readonly Uint8Array[]) => Buffer.concat(bytes).toString();
const hexOf = (bytes: readonly Uint8Array[]) => Buffer.concat(bytes).toString("hex");

/** The numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function spansIn(body: Uint8Array): ReceivedSpan[] {
  return at(body, 1).flatMap((resourceSpans) => {
    const service = attributesOf(at(resourceSpans, 1, 1))["service.name"] ?? "";
    return at(resourceSpans, 2, 2).map((span) => ({
      service,
      traceId: hexOf(at(span, 1)),
      spanId: hexOf(at(span, 2)),
      parentId: hexOf(at(span, 4)),
      name: textOf(at(span, 5)),
      attributes: attributesOf(at(span, 9)),
    }));
  });
}

/** Attributes whose values are text. */
const attributesOf = (entries: readonly Uint8Array[]): Record<string, string> =>
  Object.fromEntries(entries.map((entry) => [textOf(at(entry, 1)), textOf(at(entry, 2, 1))]));
