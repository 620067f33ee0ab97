/** The guards of calls between services, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

const ACCESS = "services/runtime/rpc/server/access.ts";
const TOKEN = "services/runtime/rpc/service-token.ts";
const RETRY = "services/runtime/rpc/client/retry.ts";
const SERVER = "services/runtime/rpc/server/server.ts";
const TLS = "services/runtime/rpc/tls.ts";

const ACCESS_TEST = "test/runtime/rpc/server/access.test.ts";
const REPEATED_CALL_TEST = "test/runtime/rpc/client/repeated-call.test.ts";
const TLS_TEST = "test/runtime/rpc/tls.test.ts";

export const runtime: readonly Mutation[] = [
  ...guards(RETRY, REPEATED_CALL_TEST, {
    "a call that is not idempotent is not repeated": ["isIdempotent(method)", "true"],
    "a repeated call has what is left of its deadline": "- (performance.now() - startedAt)",
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
