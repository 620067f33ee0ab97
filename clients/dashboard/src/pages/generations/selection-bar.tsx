/** What can be done with the chosen generations: download their files, or delete them. */
import { Button, Group, Text } from "@mantine/core";
import { Download } from "lucide-react";
import { fileName } from "../../data/file-name.ts";
import { isFinished } from "../../data/generation.ts";
import { useScope } from "../../data/scope.ts";
import { DeleteSelected } from "./delete-selected.tsx";
import classes from "./gallery.module.css";
import type { Selection } from "./use-selection.ts";

type Props = {
  selection: Selection;
  /** Whether the list goes on after what is shown. */
  hasMore: boolean;
};

export function SelectionBar({ selection, hasMore }: Props) {
  const { may } = useScope();
  const { selected } = selection;
  const files = selected.flatMap((generation) =>
    generation.output.map(({ url }, index) => ({ url, name: fileName(generation, index) })),
  );
  const running = selected.filter((generation) => !isFinished(generation)).length;
  return (
    <Group
      justify="space-between"
      className={classes.selection}
      role="region"
      aria-label="Selection"
    >
      <Text size="sm" role="status">
        {selected.length} selected, {files.length === 1 ? "1 file" : `${files.length} files`}
        {running > 0 && `, ${running} running`}
        {hasMore && "; more generations are not shown yet"}
      </Text>
      <Group gap="sm">
        <Button variant="default" size="xs" onClick={() => selection.setAll(false)}>
          Clear
        </Button>
        {may("deleteGeneration") && (
          <DeleteSelected selected={selected} onDeleted={selection.remove} />
        )}
        <Button
          size="xs"
          leftSection={<Download size={15} aria-hidden />}
          disabled={files.length === 0}
          onClick={() => files.forEach(download)}
        >
          Download
        </Button>
      </Group>
    </Group>
  );
}

function download({ url, name }: { url: string; name: string }): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
