/** Cancels and deletes generations and files, and repeats deliveries. */
import { programOf } from "./environment.ts";
import { kindOfId } from "./ids.ts";
import type { Generation, Run } from "./run.ts";

export async function cancel(
  { client, signal, screen, print, json }: Run,
  id: string,
): Promise<void> {
  const kind = kindOfId(id, ["video", "image"]);
  const canceled: Generation = await (kind === "image"
    ? client.images.cancel(id, { signal })
    : client.videos.cancel(id, { signal }));
  if (json) print(JSON.stringify(canceled));
  const { status } = canceled;
  screen.line(
    status === "canceled" ? "canceled; its Tokens are restored" : `${status}, to be canceled`,
  );
}

export async function remove({ client, signal, screen }: Run, id: string): Promise<void> {
  const kind = kindOfId(id, ["video", "image", "file"]);
  if (kind === "file") await client.files.delete(id, { signal });
  else if (kind === "image") await client.images.delete(id, { signal });
  else await client.videos.delete(id, { signal });
  screen.line("deleted");
}

/** The attempt is made a moment later. */
export async function redeliver(run: Run, id: string): Promise<void> {
  const { client, signal, screen, print, json } = run;
  kindOfId(id, ["delivery"]);
  const delivery = await client.deliveries.redeliver(id, { signal });
  if (json) print(JSON.stringify(delivery));
  screen.line(`An attempt is due now. To see its answer: ${programOf(run.env)} get ${id}`);
}
