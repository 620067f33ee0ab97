/** The command that lists, with its options. */
import { Argument, Option, type Command } from "commander";
import { LISTED_STATUSES } from "../http/filter-values.ts";
import { atLeastOne, choice, timeOf } from "./parsing.ts";

export type ListedKind = "videos" | "images";
export type ListOptions = {
  limit: number;
  status?: (typeof LISTED_STATUSES)[number];
  model?: string;
  endUser?: string;
  createdAfter?: string;
  createdBefore?: string;
  after?: string;
};

export type ListActions = {
  list: (kind: ListedKind | undefined, options: ListOptions) => Promise<void>;
};

const KINDS = ["videos", "images"];
const DEFAULT_LENGTH = 20;

export function addList(program: Command, actions: ListActions): void {
  program
    .command("list")
    .description("list generations, newest first: id, creation, status, model, prompt's beginning")
    .addArgument(
      new Argument("[kind]", "what to list; without it, videos").choices(KINDS).argParser(kindOf),
    )
    .option("--limit <n>", "how many at most", atLeastOne, DEFAULT_LENGTH)
    .addOption(
      new Option("--status <status>", "only those")
        .choices(LISTED_STATUSES)
        .argParser(choice("--status", LISTED_STATUSES)),
    )
    .option("-m, --model <id>", "only those of this model")
    .option("--end-user <id>", "only those for this user of yours")
    .option("--created-after <time>", "only those: 2026-11-01T12:00:00Z or a day, UTC", timeOf)
    .option("--created-before <time>", "only those; a day is its beginning", timeOf)
    .option("--after <id>", "go on after this one, the last of an earlier list")
    .action(actions.list);
}

/** Also one of them alone, such as `video`. */
function kindOf(text: string): string {
  const plural = `${text}s`;
  return choice("The kind", KINDS)(KINDS.includes(plural) ? plural : text);
}
