/** The commands that list, with their options. */
import { Argument, Option, type Command } from "commander";
import {
  DELIVERY_STATUSES,
  EVENT_TYPES,
  LISTED_STATUSES,
  TRANSACTION_TYPES,
  USAGE_GROUPS,
} from "../http/filter-values.ts";
import { atLeastOne, choice, timeOf } from "./parsing.ts";

type Limited = { limit: number };
export type ListedKind = "videos" | "images" | "files";
export type ListOptions = Limited & {
  status?: (typeof LISTED_STATUSES)[number];
  model?: string;
  endUser?: string;
  createdAfter?: string;
  createdBefore?: string;
  after?: string;
};
export type TransactionsOptions = Limited & { type?: string; generation?: string };
export type DeliveriesOptions = Limited & {
  status?: string;
  type?: string;
  url?: string;
  generation?: string;
  createdAfter?: string;
  createdBefore?: string;
};
export type RequestsOptions = Limited & {
  status?: string;
  method?: string;
  path?: string;
  generation?: string;
};
export type UsageOptions = { from?: string; to?: string; groupBy?: string };

export type ListActions = {
  list: (kind: ListedKind | undefined, options: ListOptions) => Promise<void>;
  transactions: (options: TransactionsOptions) => Promise<void>;
  deliveries: (options: DeliveriesOptions) => Promise<void>;
  requests: (options: RequestsOptions) => Promise<void>;
  usage: (options: UsageOptions) => Promise<void>;
};

const KINDS = ["videos", "images", "files"];
const DEFAULT_LENGTH = 20;
const CREATED_AFTER = [
  "--created-after <time>",
  "only those: 2026-11-01T12:00:00Z or a day, UTC",
  timeOf,
] as const;
const CREATED_BEFORE = [
  "--created-before <time>",
  "only those; a day is its beginning",
  timeOf,
] as const;
const GENERATION = ["--generation <id>", "only those of this generation"] as const;

export function addLists(program: Command, actions: ListActions): void {
  const listing = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option("--limit <n>", "how many at most", atLeastOne, DEFAULT_LENGTH);
  listing(
    "list",
    "list generations, newest first: id, creation, status, model, prompt's beginning; or files",
  )
    .addArgument(
      new Argument("[kind]", "what to list; without it, videos").choices(KINDS).argParser(kindOf),
    )
    .addOption(oneOf("--status <status>", "only those", LISTED_STATUSES))
    .option("-m, --model <id>", "only those of this model")
    .option("--end-user <id>", "only those for this user of yours")
    .option(...CREATED_AFTER)
    .option(...CREATED_BEFORE)
    .option("--after <id>", "go on after this one, the last of an earlier list")
    .action(actions.list);
  listing("transactions", "list what changed the Tokens, newest first")
    .addOption(oneOf("--type <type>", "only those", TRANSACTION_TYPES))
    .option(...GENERATION)
    .action(actions.transactions);
  listing("deliveries", "list the webhooks that were sent, newest first, with the last answer")
    .addOption(oneOf("--status <status>", "only those", DELIVERY_STATUSES))
    .addOption(oneOf("--type <type>", "only those of these events", EVENT_TYPES))
    .option("--url <url>", "only those to exactly this URL")
    .option(...GENERATION)
    .option(...CREATED_AFTER)
    .option(...CREATED_BEFORE)
    .action(actions.deliveries);
  listing("requests", "list the requests of the account's API keys, newest first")
    .option("--status <status>", "only those with this answer, such as 404 or 4xx")
    .option("--method <method>", "only those with this method, such as POST")
    .option("--path <path>", "only those of this path, such as /v1/videos/generations/{id}")
    .option(...GENERATION)
    .action(actions.requests);
  program
    .command("usage")
    .description("show the Tokens used by day, model, API key or end user; this month by default")
    .option("--from <day>", "the first day, such as 2026-11-01")
    .option("--to <day>", "the last day")
    .addOption(oneOf("--group-by <what>", "the lines", USAGE_GROUPS))
    .action(actions.usage);
}

/** Also one of them alone, such as `video`. */
function kindOf(text: string): string {
  const plural = `${text}s`;
  return choice("The kind", KINDS)(KINDS.includes(plural) ? plural : text);
}

function oneOf(flags: string, description: string, words: readonly string[]): Option {
  const [name = ""] = flags.split(" ");
  return new Option(flags, description).choices(words).argParser(choice(name, words));
}
