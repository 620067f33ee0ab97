/** What can be done with the chosen generations: download their files, cancel or delete them, or choose all that match. */
import { Button, Group, Text } from "@mantine/core";
import { Download } from "lucide-react";
import { tokens } from "../../components/value-format.ts";
import { fileName } from "../../data/file-name.ts";
import { isFinished } from "../../data/generation.ts";
import type { GenerationFilter } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { BulkAction } from "./bulk-action.tsx";
import classes from "./selection-bar.module.css";
import { SelectAll } from "./select-all.tsx";
import { useDownloads } from "./use-downloads.ts";
import type { Selection } from "../../data/use-selection.ts";

/** More take long and bury the folder of downloads. */
const MAX_DOWNLOADS = 100;

type Props = {
  selection: Selection;
  filter: GenerationFilter;
  /** Whether more match than are chosen. */
  hasMore: boolean;
};

export function SelectionBar({ selection, filter, hasMore }: Props) {
  const { may } = useScope();
  const { selected } = selection;
  const files = selected.flatMap((generation) =>
    generation.output.map(({ url }, index) => ({ url, name: fileName(generation, index) })),
  );
  const { run, begun } = useDownloads();
  const running = selected.filter((generation) => !isFinished(generation)).length;
  return (
    <Group
      ref={keepClear}
      justify="space-between"
      className={classes.bar}
      role="region"
      aria-label="Selection"
    >
      <Text size="sm" role="status">
        {tokens(selected.length)} selected,{" "}
        {files.length === 1 ? "1 file" : `${tokens(files.length)} files`}
        {running > 0 && `, ${tokens(running)} running`}
        {files.length > MAX_DOWNLOADS && `; at most ${MAX_DOWNLOADS} files are downloaded at once`}
      </Text>
      <Group gap="sm">
        {hasMore && <SelectAll filter={filter} onSelect={selection.replace} />}
        <Button variant="default" size="xs" onClick={() => selection.setAll(false)}>
          Clear
        </Button>
        {may("cancelGeneration") && (
          <BulkAction kind="cancel" selected={selected} onDone={selection.remove} />
        )}
        {may("deleteGeneration") && (
          <BulkAction kind="delete" selected={selected} onDone={selection.remove} />
        )}
        <Button
          size="xs"
          leftSection={<Download size={15} aria-hidden />}
          disabled={files.length === 0 || files.length > MAX_DOWNLOADS}
          aria-disabled={run.isPending}
          onClick={() => !run.isPending && run.mutate(files)}
        >
          {run.isPending ? `${begun} of ${run.variables.length}` : "Download"}
        </Button>
      </Group>
    </Group>
  );
}

/** The ends of the card and of the page, which are below the bar where the page ends. */
const BELOW_PX = 49;

/** Tells the styles its height: confirmations, and what is scrolled into view for the focus, stay above it. */
function keepClear(bar: HTMLElement | null): (() => void) | undefined {
  if (!bar) return undefined;
  const { style } = document.documentElement;
  const tell = () => style.setProperty("--bottom-bar", `${bar.offsetHeight + BELOW_PX}px`);
  const observer = new ResizeObserver(tell);
  observer.observe(bar);
  tell();
  return () => {
    observer.disconnect();
    style.removeProperty("--bottom-bar");
  };
}
