/** The guards of calls between services, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const ACCESS = "services/runtime/rpc/server/access.ts";
const TOKEN = "services/runtime/rpc/service-token.ts";
const RETRY = "services/runtime/rpc/client/retry.ts";
const SERVER = "services/runtime/rpc/server/server.ts";
const TLS = "services/runtime/rpc/tls.ts";

const ACCESS_TEST = "test/runtime/rpc/server/access.test.ts";
const REPEATED_CALL_TEST = "test/runtime/rpc/client/repeated-call.test.ts";
const TLS_TEST = "test/runtime/rpc/tls.test.ts";

export const runtime: readonly Mutation[] = [
  {
    guard: "a call that is not idempotent is not repeated",
    file: RETRY,
    old: "isIdempotent(method)",
    new: "true",
    test: REPEATED_CALL_TEST,
  },
  {
    guard: "a repeated call has what is left of its deadline",
    file: RETRY,
    old: "Number(timeoutMs) - (performance.now() - startedAt)",
    new: "Number(timeoutMs)",
    test: REPEATED_CALL_TEST,
  },
  {
    guard: "a caller with a token of the operator only reads",
    file: ACCESS,
    old: "!allowed.includes(caller.isInternal ? INTERNAL : caller.name)",
    new: "!caller.isInternal && !allowed.includes(caller.name)",
    test: ACCESS_TEST,
  },
  {
    guard: "a call is refused before its body is read",
    file: SERVER,
    old: "await gate(call);\n      const connection",
    new: "const connection",
    test: ACCESS_TEST,
    name: "before it has sent its body",
  },
  {
    guard: "a token is for one service",
    file: TOKEN,
    old: "      audience,\n",
    new: "",
    test: ACCESS_TEST,
  },
  {
    guard: "an old token is refused",
    file: TOKEN,
    old: "if (ageSeconds >= MAX_TOKEN_SECONDS)",
    new: "if (false)",
    test: ACCESS_TEST,
  },
  {
    guard: "a token that was accepted is not accepted for longer",
    file: TOKEN,
    old: "Math.min(exp, iat + MAX_TOKEN_SECONDS)",
    new: "exp",
    test: ACCESS_TEST,
  },
  {
    guard: "a key signs for its owner only",
    file: TOKEN,
    old: "if (key.owner === name) return",
    new: "if (key) return",
    test: ACCESS_TEST,
  },
  {
    guard: "a caller shows a certificate",
    file: TLS,
    old: "requestCert: true",
    new: "requestCert: false",
    test: TLS_TEST,
  },
  {
    guard: "a caller's certificate is of the authority",
    file: TLS,
    old: "rejectUnauthorized: true",
    new: "rejectUnauthorized: false",
    test: TLS_TEST,
  },
  {
    guard: "plain connections are refused unless they are allowed",
    file: SERVER,
    old: "(config.tls?.takesPlain && !isTlsHandshake(first))",
    new: "!isTlsHandshake(first)",
    test: TLS_TEST,
  },
  {
    guard: "no call is sent in plain text by mistake",
    file: TLS,
    old: "if (isPlain && tls && !tls.takesPlain)",
    new: "if (false)",
    test: TLS_TEST,
  },
];
