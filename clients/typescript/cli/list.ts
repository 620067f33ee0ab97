/** Lists generations, newest first. */
import type { ImageFilter, VideoFilter } from "../index.ts";
import { timeText } from "./details.ts";
import { inApiNames } from "./parsing.ts";
import type { Generation, Run } from "./run.ts";
import { tableLines, type Row } from "./table.ts";

export type ListedKind = "videos" | "images";
/** `limit`, and the filters of the API by the names of their options. */
export type ListOptions = { limit: number; [filter: string]: string | number };

const MAX_PAGE = 100;
const PROMPT_LENGTH = 40;
const HEADER = ["id", "created", "status", "model", "prompt"];

/** Prints as many as `limit` says; where there are none, says so beside the result. */
export async function list(
  run: Run,
  kind: ListedKind | undefined,
  { limit, ...given }: ListOptions,
): Promise<void> {
  const { client, signal, print, screen, json } = run;
  const filter: VideoFilter & ImageFilter = {
    ...inApiNames(given),
    limit: Math.min(limit, MAX_PAGE),
  };
  const generations: AsyncIterable<Generation> = client[kind ?? "videos"].list(filter, { signal });
  const found: Generation[] = [];
  for await (const generation of generations) {
    if (json) print(JSON.stringify(generation));
    found.push(generation);
    if (found.length === limit) break;
  }
  if (found.length === 0)
    screen.line(Object.keys(given).length > 0 ? "nothing found" : "nothing yet");
  else if (!json) printTable(run, found.map(rowOf));
  if (kind === undefined && !json)
    screen.line(`These are videos only. Images: ${run.program} list images`);
}

/** The header is beside the result, so that programs that read the lines do not meet it. */
function printTable({ print, screen }: Run, rows: readonly Row[]): void {
  const [first = "", ...lines] = tableLines(rows, HEADER);
  screen.line(first);
  for (const line of lines) print(line);
}

function rowOf({ id, status, model, input, created_at: createdAt }: Generation): Row {
  return [id, timeText(createdAt), status, model, beginningOf(input.prompt)];
}

/** In one line, without what could write elsewhere on a terminal. */
function beginningOf(prompt: string): string {
  const text = prompt.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  return text.length > PROMPT_LENGTH ? `${text.slice(0, PROMPT_LENGTH - 1)}…` : text;
}
