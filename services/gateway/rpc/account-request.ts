/** Maps the row of a request to the RPC message. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AccountRequest_Kind as Kind } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountRequestSchema } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountRequestRow } from "../store/account-requests.ts";

export function toAccountRequest(
  row: AccountRequestRow,
  accountName: string,
): MessageInitShape<typeof AccountRequestSchema> {
  return {
    accountId: row.accountId,
    id: row.id,
    accountName,
    kind: row.kind === "production" ? Kind.PRODUCTION : Kind.TOKENS,
    ...(row.tokens === null ? {} : { tokens: row.tokens }),
    message: row.message,
    email: row.email,
    createdAt: timestampFromDate(row.createdAt),
  };
}
