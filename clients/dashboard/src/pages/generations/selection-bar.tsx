/** What can be done with the chosen generations: download their files. */
import { Button, Group, Text } from "@mantine/core";
import { Download } from "lucide-react";
import type { Generation } from "../../api/client.ts";
import classes from "./gallery.module.css";

type Props = { selected: readonly Generation[]; onClear: () => void };

export function SelectionBar({ selected, onClear }: Props) {
  const urls = selected.flatMap(({ output }) => output.map(({ url }) => url));
  return (
    <Group
      justify="space-between"
      className={classes.selection}
      role="region"
      aria-label="Selection"
    >
      <Text size="sm" role="status">
        {selected.length} selected, {urls.length === 1 ? "1 file" : `${urls.length} files`}
      </Text>
      <Group gap="sm">
        <Button variant="default" size="xs" onClick={onClear}>
          Clear
        </Button>
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
