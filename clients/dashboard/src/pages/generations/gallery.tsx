/** Generations as pictures, each with a box to choose it. */
import { Anchor, Checkbox } from "@mantine/core";
import { Link } from "react-router";
import type { Generation } from "../../api/client.ts";
import { GenerationTiles } from "../../components/generation-tiles.tsx";
import { useScope } from "../../data/scope.ts";
import type { Selection } from "../../data/use-selection.ts";

type Props = { generations: readonly Generation[]; selection: Selection<Generation> };

export function Gallery({ generations, selection }: Props) {
  const { to } = useScope();
  return (
    <GenerationTiles
      generations={generations}
      isMarked={selection.has}
      opener={({ id, mode }, content) => (
        <Anchor component={Link} to={to(`generations/${id}`, mode)} c="var(--mantine-color-text)">
          {content}
        </Anchor>
      )}
      beside={({ id, input }) => (
        <Checkbox
          size="sm"
          aria-label={`Select: ${input.prompt}`}
          checked={selection.has(id)}
          onChange={(event) => selection.change(id, event)}
        />
      )}
    />
  );
}
