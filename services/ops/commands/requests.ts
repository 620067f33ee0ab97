/** `requests …`: what users ask operators for, and the answers, which go to them by mail. */
import { Command } from "commander";
import {
  AccountRequest_Kind as Kind,
  AccountService,
  type AccountRequest,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { csvOption, jsonOption } from "./options.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import { run, runList, type Format, type Session } from "../session/session.ts";

const MAX_LISTED = 1_000;
const COLUMNS = ["id", "account", "account_name", "kind", "tokens", "email", "asked", "message"];

type Answer = { id: string; answer: string; json?: boolean };

export function requestsCommand(): Command {
  const requests = new Command("requests").description(
    "what users ask for: production access and Tokens",
  );
  requests
    .command("list")
    .description("list the requests that wait for an answer, oldest first")
    .addOption(csvOption())
    .addOption(jsonOption())
    .action(async (options: Format) => {
      const rows = async (session: Session) => (await waiting(session)).map(requestRow);
      await runList(options, COLUMNS, rows, "No request waits for an answer.");
    });
  answerCommand("approve", "grant what is asked for, and tell the user", async (session, asked) => {
    if (asked.kind !== Kind.TOKENS) return;
    // The id as reference: a repetition after a failure credits nothing again.
    await session.client("billing", BillingService).recharge({
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
      .addOption(jsonOption())
      .action(({ id, answer, json }: Answer) =>
        run(json, async (session) => {
          const asked = (await waiting(session)).find((one) => one.id === id);
          if (!asked) throw new Error(`no request "${id}" waits for an answer`);
          await before(session, asked);
          await session.client("gateway", AccountService).answerAccountRequest({
            accountId: asked.accountId,
            requestId: id,
            approved: name === "approve",
            answer,
          });
          return requestRow(asked);
        }),
      );
  }
}

async function waiting({ client }: Session): Promise<AccountRequest[]> {
  const request = { limit: MAX_LISTED };
  return (await client("gateway", AccountService).listAccountRequests(request)).requests;
}

function requestRow(asked: AccountRequest): OutputRow {
  return {
    id: asked.id,
    account: asked.accountId,
    account_name: asked.accountName,
    kind: asked.kind === Kind.PRODUCTION ? "production" : "tokens",
    tokens: asked.tokens === undefined ? "" : Number(asked.tokens),
    email: asked.email,
    asked: timeOrNull(asked.createdAt),
    message: asked.message,
  };
}
