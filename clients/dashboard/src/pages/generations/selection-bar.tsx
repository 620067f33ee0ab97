/** What can be done with the chosen generations: download their files, cancel or delete them. */
import { Ban, Download, Trash2 } from "lucide-react";
import type { Generation } from "../../api/client.ts";
import { BulkAction, SelectedBar } from "../../components/bulk.tsx";
import { BusyButton } from "../../components/form/form.tsx";
import { fileName, isFinished } from "../../data/generation.ts";
import { useAction } from "../../data/queries.ts";
import { useNotice, useScope } from "../../data/scope.ts";
import type { Selection } from "../../data/use-selection.ts";
import { counted, tokens } from "../../data/value-format.ts";

/** More take long and bury the folder of downloads. */
const MAX_DOWNLOADS = 100;
/** Chromium begins ten downloads of a page in a second, and silently drops any more. */
const GAP_MS = 125;

export function SelectionBar({ selection }: { selection: Selection<Generation> }) {
  const { may } = useScope();
  const { selected } = selection;
  const finished = selected.filter(isFinished);
  const running = selected.filter((generation) => !isFinished(generation));
  const files = selected.flatMap((generation) =>
    generation.output.map(({ url }, index) => ({ url, name: fileName(generation, index) })),
  );
  const status = [
    `${tokens(selected.length)} selected, ${counted(files.length, "file")}`,
    running.length > 0 && `, ${tokens(running.length)} running`,
    files.length > MAX_DOWNLOADS && `; at most ${MAX_DOWNLOADS} files are downloaded at once`,
  ];
  const shared = { noun: "generation", selection };
  return (
    <SelectedBar status={status.filter(Boolean).join("")} onClear={() => selection.setAll(false)}>
      {may("cancelGeneration") && (
        <BulkAction
          {...shared}
          label="Cancel running"
          icon={<Ban size={15} aria-hidden />}
          entries={running}
          done="canceled"
          one={(call, { id }) => call("cancelGeneration", { id })}
          question="Those that can still be stopped are canceled, and their reserved Tokens restored. This cannot be undone."
        />
      )}
      {may("deleteGeneration") && (
        <BulkAction
          {...shared}
          label="Delete"
          icon={<Trash2 size={15} aria-hidden />}
          entries={finished}
          done="deleted"
          one={(call, { id }) => call("deleteGeneration", { id })}
          question="Files, inputs and webhooks are deleted within a minute, and URLs stop working. Ids and transactions stay, and so does what is running. This cannot be undone."
        />
      )}
      <Downloads files={files} />
    </SelectedBar>
  );
}

type File = { url: string; name: string };

function Downloads({ files }: { files: readonly File[] }) {
  const say = useNotice();
  const run = useAction(async (_call, all: readonly File[]) => {
    for (const [index, { url, name }] of all.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, GAP_MS));
      Object.assign(document.createElement("a"), { href: url, download: name }).click();
    }
    if (all.length > 1) say(`${all.length} downloads begun`);
  });
  return (
    <BusyButton
      size="xs"
      leftSection={<Download size={15} aria-hidden />}
      disabled={files.length === 0 || files.length > MAX_DOWNLOADS}
      isBusy={run.isPending}
      onClick={() => run.mutate(files)}
    >
      Download
    </BusyButton>
  );
}
