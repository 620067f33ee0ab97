/** Transports for every protocol of a server, and the outcome of a call. */
import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import type { Fault } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";

export const PROTOCOLS = ["connect", "connect-json", "connect-1.1", "grpc", "grpc-web"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export type Protocols = {
  transports: Record<Protocol, Transport>;
  close: () => void;
};

export function openProtocols(baseUrl: string): Protocols {
  const sessionManager = new Http2SessionManager(baseUrl);
  const http2 = { baseUrl, httpVersion: "2", sessionManager, defaultTimeoutMs: 100_000 } as const;
  const http1 = { baseUrl, httpVersion: "1.1", defaultTimeoutMs: 100_000 } as const;
  const binary = { useBinaryFormat: true };
  return {
    transports: {
      connect: createConnectTransport({ ...http2, ...binary }),
      "connect-json": createConnectTransport({ ...http2, useBinaryFormat: false }),
      "connect-1.1": createConnectTransport({ ...http1, useBinaryFormat: false }),
      grpc: createGrpcTransport(http2),
      "grpc-web": createGrpcWebTransport(http1),
    },
    close: () => sessionManager.abort(),
  };
}

/** "OK" or the name of the error's code. */
export type Outcome = {
  code: "OK" | keyof typeof Code;
  faults: Fault[];
  text: string;
  answer?: Message;
};

export async function outcomeOf(
  transport: Transport,
  method: DescMethodUnary,
  message: Message,
  authorization: string | undefined,
): Promise<Outcome> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  try {
    const call = await transport.unary(method, undefined, undefined, headers, message);
    return { code: "OK", faults: [], text: "", answer: call.message };
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { code: nameOf(code), faults: faultsOf(error), text: rawMessage };
  }
}

function nameOf(code: Code): keyof typeof Code {
  return Code[code] as keyof typeof Code;
}
