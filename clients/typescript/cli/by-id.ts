/** Cancels and deletes by id, and repeats deliveries; what an id is of, it says by how it begins. */
import { UsageError } from "./cli-errors.ts";
import type { Run } from "./run.ts";

const PREFIXES = { videos: "vgen_", images: "igen_", files: "file_", deliveries: "whd_" };

export type IdKind = keyof typeof PREFIXES;

/** What the id is of. Throws UsageError, which says how ids begin, for one of another kind; nothing was sent then. */
export function kindOfId<Kind extends IdKind>(id: string, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((each) => id.startsWith(PREFIXES[each]));
  if (kind !== undefined) return kind;
  const starts = kinds.map((each) => PREFIXES[each]).join(" or ");
  throw new UsageError(`There is no ${id} here: the id must begin with ${starts}.`);
}

export async function cancel(run: Run, id: string): Promise<void> {
  const { client, signal, screen, print, json } = run;
  const canceled = await client[kindOfId(id, ["videos", "images"])].cancel(id, { signal });
  if (json) print(JSON.stringify(canceled));
  const { status } = canceled;
  screen.line(
    status === "canceled" ? "canceled; its Tokens are restored" : `${status}, to be canceled`,
  );
}

/** Asks first, unless `yes`. Throws UsageError where nobody can answer. */
export async function remove(run: Run, id: string, { yes }: { yes?: boolean }): Promise<void> {
  const { client, signal, screen } = run;
  const kind = kindOfId(id, ["videos", "images", "files"]);
  if (!yes && !(await isAgreed(run, id))) {
    screen.line("Nothing is deleted.");
    return;
  }
  await client[kind].delete(id, { signal });
  screen.line("deleted");
}

async function isAgreed({ stdin, screen, signal }: Run, id: string): Promise<boolean> {
  if (!stdin?.isTTY) throw new UsageError(`To delete ${id} for good, add --yes.`);
  screen.line(`Delete ${id} for good? [y/N]`);
  const stop = () => stdin.destroy?.();
  signal.addEventListener("abort", stop);
  for await (const chunk of stdin) return /^y(es)?$/i.test(String(chunk).trim());
  signal.throwIfAborted();
  return false;
}

/** The attempt is made a moment later. */
export async function redeliver(run: Run, id: string): Promise<void> {
  const { client, signal, screen, print, json } = run;
  kindOfId(id, ["deliveries"]);
  const delivery = await client.deliveries.redeliver(id, { signal });
  if (json) print(JSON.stringify(delivery));
  screen.line(`An attempt is due now. To see its answer: ${run.program} get ${id}`);
}
