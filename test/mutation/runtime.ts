/** The guards of calls between services, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

const ACCESS = "services/runtime/rpc/server/access.ts";
const TOKEN = "services/runtime/rpc/service-token.ts";
const RETRY = "services/runtime/rpc/client/retry.ts";
const CLIENT = "services/runtime/rpc/client/unary-http.ts";
const SERVER = "services/runtime/rpc/server/server.ts";
const TLS = "services/runtime/rpc/tls.ts";

const ACCESS_TEST = "test/runtime/rpc/server/access.test.ts";
const REPEATED_CALL_TEST = "test/runtime/rpc/client/repeated-call.test.ts";
const BROKEN_ANSWERS_TEST = "test/runtime/rpc/client/broken-answers.test.ts";
const TLS_TEST = "test/runtime/rpc/tls.test.ts";

export const runtime: readonly Mutation[] = [
  ...guards(RETRY, REPEATED_CALL_TEST, {
    "a call that is not idempotent is not repeated": ["isIdempotent(request.method)", "true"],
  }),
  ...guards(CLIENT, REPEATED_CALL_TEST, {
    "a repeated call has what is left of its deadline": "...timeout(lifetime.leftMs()),",
  }),
  ...guards(CLIENT, BROKEN_ANSWERS_TEST, {
    "an answer of a stream that is reset is not taken": ["&& !stream.rstCode", ""],
    "a call whose stream has ended without an answer ends": [
      "if (!isAnswered) reject(new ConnectError(reason, Code.Unavailable));",
      "",
    ],
  }),
  ...guards(ACCESS, ACCESS_TEST, {
    "a caller with a token of the operator only reads": [
      "!allowed.includes(caller.isInternal ? INTERNAL : caller.name)",
      "!caller.isInternal && !allowed.includes(caller.name)",
    ],
  }),
  ...guards(SERVER, ACCESS_TEST, {
    "a call is refused before its body is read": [
      "await gate(call);",
      "",
      "before it has sent its body",
    ],
  }),
  ...guards(TOKEN, ACCESS_TEST, {
    "a token is for one service": [
      `      audience,
`,
      "",
    ],
    "an old token is refused": ["if (ageSeconds >= MAX_TOKEN_SECONDS)", "if (false)"],
    "a token that was accepted is not accepted for longer": [
      "Math.min(exp, iat + MAX_TOKEN_SECONDS)",
      "exp",
    ],
    "a key signs for its owner only": ["if (key.owner === name) return", "if (key) return"],
  }),
  ...guards(TLS, TLS_TEST, {
    "a caller shows a certificate": ["requestCert: true", "requestCert: false"],
    "a caller's certificate is of the authority": [
      "rejectUnauthorized: true",
      "rejectUnauthorized: false",
    ],
    "no call is sent in plain text by mistake": ["(isPlain && tls && !tls.takesPlain)", "(false)"],
  }),
  ...guards(SERVER, TLS_TEST, {
    "plain connections are refused unless they are allowed": [
      "(config.tls?.takesPlain && !isTlsHandshake(first))",
      "!isTlsHandshake(first)",
    ],
  }),
];
