/** What can be done with the chosen generations: download their files, cancel or delete them. */
import { Download } from "lucide-react";
import { BusyButton } from "../../components/form/form.tsx";
import { SelectedBar } from "../../components/selected-bar.tsx";
import { tokens } from "../../components/value-format.ts";
import type { Generation } from "../../api/client.ts";
import { fileName, isFinished } from "../../data/generation.ts";
import { useNotice, useScope } from "../../data/scope.ts";
import { BulkAction } from "./bulk-action.tsx";
import type { Selection } from "../../data/use-selection.ts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

/** More take long and bury the folder of downloads. */
const MAX_DOWNLOADS = 100;

export function SelectionBar({ selection }: { selection: Selection<Generation> }) {
  const { may } = useScope();
  const { selected } = selection;
  const files = selected.flatMap((generation) =>
    generation.output.map(({ url }, index) => ({ url, name: fileName(generation, index) })),
  );
  const { run, begun } = useDownloads();
  const running = selected.filter((generation) => !isFinished(generation)).length;
  const status = [
    `${tokens(selected.length)} selected, ${files.length === 1 ? "1 file" : `${tokens(files.length)} files`}`,
    running > 0 && `, ${tokens(running)} running`,
    files.length > MAX_DOWNLOADS && `; at most ${MAX_DOWNLOADS} files are downloaded at once`,
  ]
    .filter(Boolean)
    .join("");
  return (
    <SelectedBar status={status} onClear={() => selection.setAll(false)}>
      {may("cancelGeneration") && (
        <BulkAction kind="cancel" selected={selected} onDone={selection.remove} />
      )}
      {may("deleteGeneration") && (
        <BulkAction kind="delete" selected={selected} onDone={selection.remove} />
      )}
      <BusyButton
        size="xs"
        leftSection={<Download size={15} aria-hidden />}
        disabled={files.length === 0 || files.length > MAX_DOWNLOADS}
        isBusy={run.isPending}
        progress={run.variables && `${begun} of ${run.variables.length}`}
        onClick={() => run.mutate(files)}
      >
        Download
      </BusyButton>
    </SelectedBar>
  );
}

/** Chromium begins ten downloads of a page in a second, and silently drops any more. */
const GAP_MS = 125;

type UseDownloadsDownload = { url: string; name: string };

/** `begun`: how many of the files that `run` was called with. */
function useDownloads() {
  const say = useNotice();
  const [begun, setBegun] = useState(0);
  const run = useMutation({
    mutationFn: async (files: readonly UseDownloadsDownload[]) => {
      for (const [index, file] of files.entries()) {
        if (index > 0) await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        begin(file);
        setBegun(index + 1);
      }
      if (files.length > 1) say(`${files.length} downloads begun`);
    },
  });
  return { run, begun };
}

function begin({ url, name }: UseDownloadsDownload): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
