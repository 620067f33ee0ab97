/** Generations as pictures, each with a box to choose it. */
import { Anchor, Checkbox, Group, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Generation } from "../../api/client.ts";
import { StatusBadge } from "../../components/texts.tsx";
import { Thumbnail } from "../../components/thumbnail.tsx";
import { useScope } from "../../data/scope.ts";
import type { Selection } from "../../data/use-selection.ts";
import classes from "./gallery.module.css";

type Props = { generations: readonly Generation[]; selection: Selection<Generation> };

export function Gallery({ generations, selection }: Props) {
  const { to } = useScope();
  return (
    <ul className={classes.gallery} aria-label="Generations">
      {generations.map((generation) => {
        const { id, mode, input, model, output, status } = generation;
        return (
          <li key={id} className={classes.tile} data-selected={selection.has(id) || undefined}>
            <Anchor
              component={Link}
              to={to(`generations/${id}`, mode)}
              size="sm"
              c="var(--mantine-color-text)"
            >
              <Thumbnail generation={generation} width="fill" />
              <Text size="sm" lineClamp={2} mt={4}>
                {input.prompt}
              </Text>
            </Anchor>
            <Text size="xs" c="dimmed" truncate>
              {model}
              {output.length > 1 && ` · ${output.length} images`}
            </Text>
            <Group justify="space-between" mt="auto">
              <StatusBadge status={status} />
              <Checkbox
                size="sm"
                aria-label={`Select: ${input.prompt}`}
                checked={selection.has(id)}
                onChange={(event) => selection.change(id, event)}
              />
            </Group>
          </li>
        );
      })}
    </ul>
  );
}
