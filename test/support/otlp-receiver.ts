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

type Fields = Map<number, Uint8Array[]>;

/** The fields of a message that have a length, by number; the messages here need no others. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields: Fields = new Map();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType !== 2) reader.skip(wireType);
    else fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
  }
  return fields;
}

const under = (bytes: Uint8Array, number: number) => fieldsOf(bytes).get(number) ?? [];
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();
const hexOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");

/** The numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function spansIn(body: Uint8Array): ReceivedSpan[] {
  return under(body, 1).flatMap((resourceSpans) => {
    const resource = under(resourceSpans, 1).flatMap((one) => under(one, 1));
    const service = attributesOf(resource)["service.name"] ?? "";
    const scopes = under(resourceSpans, 2).flatMap((scope) => under(scope, 2));
    return scopes.map((span) => {
      const fields = fieldsOf(span);
      const first = (number: number) => fields.get(number)?.[0];
      return {
        service,
        traceId: hexOf(first(1)),
        spanId: hexOf(first(2)),
        parentId: hexOf(first(4)),
        name: textOf(first(5)),
        attributes: attributesOf(fields.get(9) ?? []),
      };
    });
  });
}

/** Attributes whose values are text. */
function attributesOf(entries: readonly Uint8Array[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [value] = under(entry, 2);
      return [textOf(under(entry, 1)[0]), textOf(value && under(value, 1)[0])];
    }),
  );
}
