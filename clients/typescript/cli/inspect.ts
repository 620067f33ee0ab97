/** Lists, cancels and deletes generations. */
import { UsageError } from "./cli-errors.ts";
import type { ListedKind, ListOptions } from "./commands.ts";
import { isGenerationId, isImageId, type Generation, type Run } from "./run.ts";

const MAX_PAGE = 100;

/** Prints a line for each generation, newest first. */
export async function list(run: Run, kind: ListedKind, options: ListOptions): Promise<void> {
  const { client, signal, print, json } = run;
  const { status, model, limit } = options;
  if (limit === 0) return;
  const filter = {
    limit: Math.min(limit, MAX_PAGE),
    ...(status === undefined ? {} : { status }),
    ...(model === undefined ? {} : { model }),
  };
  const generations: AsyncIterable<Generation> =
    kind === "images"
      ? client.listImages(filter, { signal })
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

export async function cancel(
  { client, signal, screen, print, json }: Run,
  id: string,
): Promise<void> {
  const canceled: Generation = await (isImageId(id)
    ? client.cancelImage(id, { signal })
    : client.cancelVideo(id, { signal }));
  if (json) print(JSON.stringify(canceled));
  const { status } = canceled;
  screen.line(
    status === "canceled" ? "canceled; its Tokens are restored" : `${status}, to be canceled`,
  );
}

/** Throws UsageError for what is no generation and no file. */
export async function remove({ client, signal, screen }: Run, id: string): Promise<void> {
  if (id.startsWith("file_")) await client.deleteFile(id, { signal });
  else if (isImageId(id)) await client.deleteImage(id, { signal });
  else if (isGenerationId(id)) await client.deleteVideo(id, { signal });
  else throw new UsageError("Only generations and files can be deleted: vgen_…, igen_…, file_….");
  screen.line("deleted");
}
