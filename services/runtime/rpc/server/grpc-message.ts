/** Writes the messages of gRPC errors as gRPC specifies it, so that every client shows them as they are. */
import type { Http2ServerRequest, Http2ServerResponse, OutgoingHttpHeaders } from "node:http2";

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

const MESSAGE = "grpc-message";

/**
 * Connect escapes all that a URL's part may not hold, which grpc-js does not undo: it would show "a%3A b". Only what is
 * not printable ASCII, and the percent sign, has to be escaped.
 */
export function withPlainGrpcMessages(handler: Handler): Handler {
  return (request, response) => {
    const addTrailers = response.addTrailers.bind(response);
    response.addTrailers = (trailers: OutgoingHttpHeaders) => {
      const message = trailers[MESSAGE];
      const isEscaped = typeof message === "string" && message.includes("%");
      addTrailers(isEscaped ? { ...trailers, [MESSAGE]: plain(message) } : trailers);
    };
    handler(request, response);
  };
}

function plain(escaped: string): string {
  return decodeURIComponent(escaped).replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}
