/** The RPCs on signing secrets. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { modeName } from "#vocabulary/names.ts";
import { rotateSecret, signingSecrets, type SigningSecrets } from "../webhook/signing-secrets.ts";
import type { Deps, Rpcs } from "./deps.ts";

/** What is stored for an operator instead of a user's id. */
const OPERATOR = "operator";

export const secretRpcs = (deps: Deps) =>
  ({
    async getWebhookSecret({ accountId, mode }) {
      return replyOf(await signingSecrets(deps, { accountId, mode: modeName(mode) }));
    },
    async rotateWebhookSecret({ accountId, mode, replacesVersion: replaces, userId }) {
      const owner = { accountId, mode: modeName(mode) };
      return replyOf(await rotateSecret(deps, owner, { replaces, by: userId || OPERATOR }));
    },
  }) satisfies Partial<Rpcs>;

/** The first of the valid secrets, and the time until which the older ones also sign. */
function replyOf([newest, ...older]: SigningSecrets) {
  const expiries = older.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
  return {
    secret: newest.secret,
    version: newest.number,
    createdAt: timestampFromDate(newest.createdAt),
    createdBy: newest.createdBy ?? "",
    ...(expiries.length > 0
      ? { olderValidUntil: timestampFromDate(new Date(Math.max(...expiries))) }
      : {}),
  };
}
