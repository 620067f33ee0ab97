/** `requests …`: what users ask operators for, and the answers, which go to them by mail. */
import {
  AccountRequest_Kind as Kind,
  type AccountRequest,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { OpsCommand } from "./ops-command.ts";
import { csvOption } from "./options.ts";
import { rowOf, timeOrNull, type Fields } from "../session/print.ts";
import type { Session } from "../session/session.ts";

const MAX_LISTED = 1_000;

const REQUEST: Fields<AccountRequest> = {
  id: ({ id }) => id,
  account: ({ accountId }) => accountId,
  account_name: ({ accountName }) => accountName,
  kind: ({ kind }) => (kind === Kind.PRODUCTION ? "production" : "tokens"),
  tokens: ({ tokens }) => (tokens === undefined ? "" : Number(tokens)),
  email: ({ email }) => email,
  asked: ({ createdAt }) => timeOrNull(createdAt),
  message: ({ message }) => message,
};

export function requestsCommand(): OpsCommand {
  const requests = new OpsCommand("requests").description(
    "what users ask for: production access and Tokens",
  );
  requests
    .command("list")
    .description("list the requests that wait for an answer, oldest first")
    .addOption(csvOption())
    .printsRows(REQUEST, waiting, "No request waits for an answer.");
  answerCommand("approve", "grant what is asked for, and tell the user", async (session, asked) => {
    if (asked.kind !== Kind.TOKENS) return;
    // The id as reference: a repetition after a failure credits nothing again.
    await session.billing.recharge({
      accountId: asked.accountId,
      mode: Mode.LIVE,
      tokens: asked.tokens ?? 0n,
      reference: asked.id,
      note: `asked for by ${asked.email}`,
    });
  });
  answerCommand("refuse", "refuse it, and tell the user");
  return requests;

  function answerCommand(
    name: "approve" | "refuse",
    description: string,
    before: (session: Session, asked: AccountRequest) => Promise<void> = async () => {},
  ): void {
    requests
      .command(name)
      .description(description)
      .requiredOption("--id <id>", "the request: ask_…")
      .option("--answer <text>", "what the mail says besides", "")
      .printsRow(async (session, { id, answer }: { id: string; answer: string }) => {
        const asked = (await waiting(session)).find((one) => one.id === id);
        if (!asked) throw new Error(`no request "${id}" waits for an answer`);
        await before(session, asked);
        await session.accounts.answerAccountRequest({
          accountId: asked.accountId,
          requestId: id,
          approved: name === "approve",
          answer,
        });
        return rowOf(REQUEST, asked);
      });
  }
}

async function waiting({ accounts }: Session): Promise<AccountRequest[]> {
  return (await accounts.listAccountRequests({ limit: MAX_LISTED })).requests;
}
