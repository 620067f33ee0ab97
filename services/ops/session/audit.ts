/** Records operators' calls that change something in the audit log, and refuses calls for accounts that do not exist. */
import {
  getOption,
  ScalarType,
  toJson,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ConnectError, type Client, type Interceptor } from "@connectrpc/connect";
import type {
  AccountService,
  RecordActionRequestSchema,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { audit_action } from "#gen/proto/media/runtime/v1/access_pb.ts";
import { checkMessage } from "#runtime/rpc/server/interceptors.ts";
import { note } from "./print.ts";

type Entry = MessageInitShape<typeof RecordActionRequestSchema>;

type Accounts = () => Pick<Client<typeof AccountService>, "getAccount" | "recordAction">;

/**
 * Looks up the account that a call names, because other services than the gateway do not know which accounts there are: they
 * would show an empty one. A call for no account is not made.
 */
export function accountInterceptor(accounts: Accounts): Interceptor {
  const known = new Set<string>();
  return (next) => async (request) => {
    const { accountId = "" } = request.message as { accountId?: string };
    // The look-up itself, and what ends a deletion.
    const isExempt = /^(Get|Restore)Account$/.test(request.method.name);
    if (!isExempt && accountId !== "" && !known.has(accountId)) {
      const { account } = await accounts().getAccount({ accountId });
      if (account?.restorableUntil) note(`account ${accountId} is deleted.`);
      known.add(accountId);
    }
    return next(request);
  };
}

/**
 * Records a call of an RPC that has an `audit_action` first, and a failure too. What cannot be recorded is not made, and
 * what the rules of the protos refuse is neither: it changes nothing.
 */
export function auditInterceptor(accounts: Accounts): Interceptor {
  return (next) => async (request) => {
    const action = getOption(request.method, audit_action);
    if (request.stream || action === "") return next(request);
    checkMessage(request.method, request.message);
    const entry = { action, ...fieldsOf(request.method.input, request.message) };
    await accounts().recordAction(entry);
    try {
      return await next(request);
    } catch (error) {
      const failed = { ...entry, error: ConnectError.from(error).message.slice(0, 1_000) };
      await accounts()
        .recordAction(failed)
        .catch(() => process.stderr.write("The failure could not be recorded in the audit log.\n"));
      throw error;
    }
  };
}

/** The fields that every RPC with an `audit_action` names alike, as far as it has them. */
type Named = { account_id: string; mode?: Mode } & {
  [Target in "generation_id" | "url" | "key_id"]?: string;
};

/** A generation, a URL or a key is what is changed; any other field is a detail, also one that is 0 or not set. */
function fieldsOf(schema: DescMessage, message: MessageShape<DescMessage>): Entry {
  const { account_id, mode, generation_id, url, key_id, ...rest } = toJson(schema, message, {
    useProtoFieldName: true,
    enumAsInteger: true,
    alwaysEmitImplicit: true,
  }) as Named & Record<string, unknown>;
  const unset = schema.fields
    .filter(({ name, scalar }) => scalar && scalar !== ScalarType.STRING && !(name in rest))
    .map(({ name }) => [name, "not set"]);
  const details = Object.entries(rest)
    .filter(([, value]) => value !== "" && value !== false)
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  return {
    accountId: account_id,
    target: generation_id ?? url ?? key_id ?? "",
    details: Object.fromEntries([...details, ...unset]) as Record<string, string>,
    mode,
  };
}
