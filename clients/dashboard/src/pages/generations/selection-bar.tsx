/** What can be done with the chosen generations: download their files, or delete them. */
import { Button, Group, Text } from "@mantine/core";
import { Download } from "lucide-react";
import { isFinished } from "../../data/generation.ts";
import { useScope } from "../../data/scope.ts";
import { DeleteSelected } from "./delete-selected.tsx";
import classes from "./gallery.module.css";
import type { Selection } from "./use-selection.ts";

export function SelectionBar({ selection }: { selection: Selection }) {
  const { may } = useScope();
  const { selected } = selection;
  const urls = selected.flatMap(({ output }) => output.map(({ url }) => url));
  const running = selected.filter((generation) => !isFinished(generation)).length;
  return (
    <Group
      justify="space-between"
      className={classes.selection}
      role="region"
      aria-label="Selection"
    >
      <Text size="sm" role="status">
        {selected.length} selected, {urls.length === 1 ? "1 file" : `${urls.length} files`}
        {running > 0 && `, ${running} running`}
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
          disabled={urls.length === 0}
          onClick={() => urls.forEach(download)}
        >
          Download
        </Button>
      </Group>
    </Group>
  );
}

function download(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}
