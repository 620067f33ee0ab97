/** Lists, shows and cancels generations. */
import type { ImageFilter } from "../index.ts";
import type { ListedKind, ListOptions } from "./commands.ts";
import { requireVideoId, retrieve, type Generation, type Run } from "./run.ts";

const MAX_PAGE = 100;

/** Prints a line for each generation, newest first. */
export async function list(run: Run, kind: ListedKind, options: ListOptions): Promise<void> {
  const { client, signal, print } = run;
  const { status, model, limit, json } = options;
  if (limit === 0) return;
  const filter = {
    limit: Math.min(limit, MAX_PAGE),
    ...(status === undefined ? {} : { status }),
    ...(model === undefined ? {} : { model }),
  };
  const generations: AsyncIterable<Generation> =
    kind === "images"
      ? // The service refuses a status that images do not have.
        client.listImages(filter as ImageFilter, { signal })
      : client.listVideos(filter, { signal });
  let printed = 0;
  for await (const generation of generations) {
    print(json ? JSON.stringify(generation) : lineOf(generation));
    printed += 1;
    if (printed === limit) return;
  }
}

function lineOf({ id, status, model, created_at: createdAt }: Generation): string {
  return [id, createdAt, status.padEnd("processing".length), model].join("  ");
}

export async function show(run: Run, id: string): Promise<void> {
  run.print(JSON.stringify(await retrieve(run, id), undefined, 2));
}

/** Throws UsageError for an image. */
export async function cancel({ client, signal, screen }: Run, id: string): Promise<void> {
  requireVideoId(id);
  const { status } = await client.cancelVideo(id, { signal });
  screen.line(
    status === "canceled" ? "canceled; its Tokens are restored" : `${status}, to be canceled`,
  );
}
