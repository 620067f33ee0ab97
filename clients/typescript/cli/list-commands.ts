/** The commands that list, with their options. */
import { Argument, Option, type Command } from "commander";
import { atLeastOne, choice } from "./parsing.ts";

type Limited = { limit: number };
export type ListedKind = "videos" | "images";
export type ListOptions = Limited & {
  status?: "pending" | "processing" | "success" | "failed" | "canceled";
  model?: string;
};
export type TransactionsOptions = Limited & { type?: string; generation?: string };
export type DeliveriesOptions = Limited & { status?: string; generation?: string };
export type RequestsOptions = Limited & { status?: string; generation?: string };
export type UsageOptions = { from?: string; to?: string; groupBy?: string };

export type ListActions = {
  list: (kind: ListedKind | undefined, options: ListOptions) => Promise<void>;
  transactions: (options: TransactionsOptions) => Promise<void>;
  deliveries: (options: DeliveriesOptions) => Promise<void>;
  requests: (options: RequestsOptions) => Promise<void>;
  usage: (options: UsageOptions) => Promise<void>;
};

const KINDS = ["videos", "images"];
const STATUSES = ["pending", "processing", "success", "failed", "canceled"];
const DEFAULT_LENGTH = 20;
const GENERATION = ["--generation <id>", "only those of this generation"] as const;

export function addLists(program: Command, actions: ListActions): void {
  const listing = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option("--limit <n>", "how many at most", atLeastOne, DEFAULT_LENGTH);
  listing("list", "list generations, newest first: id, time of creation, status, model")
    .addArgument(
      new Argument("[kind]", "what to list; without it, videos")
        .choices(KINDS)
        .argParser(choice("The kind", KINDS)),
    )
    .addOption(
      new Option("--status <status>", "only those")
        .choices(STATUSES)
        .argParser(choice("--status", STATUSES)),
    )
    .option("--model <id>", "only those of this model")
    .action(actions.list);
  listing("transactions", "list what changed the Tokens, newest first")
    .option("--type <type>", "only those, such as capture or recharge")
    .option(...GENERATION)
    .action(actions.transactions);
  listing("deliveries", "list the webhooks that were sent, newest first, with the last answer")
    .option("--status <status>", "only those, such as delivered or exhausted")
    .option(...GENERATION)
    .action(actions.deliveries);
  listing("requests", "list the requests of the account's API keys, newest first")
    .option("--status <status>", "only those with this answer, such as 404 or 4xx")
    .option(...GENERATION)
    .action(actions.requests);
  program
    .command("usage")
    .description("show the Tokens used by day, model, API key or end user; this month by default")
    .option("--from <day>", "the first day, such as 2026-11-01")
    .option("--to <day>", "the last day")
    .option("--group-by <what>", "day, model, key or end_user")
    .action(actions.usage);
}
