/** Generations as pictures: a video plays while the pointer or the focus is on it. */
import { Anchor, Checkbox, Group, Text } from "@mantine/core";
import { useState, type ChangeEventHandler } from "react";
import { Link } from "react-router";
import type { Generation } from "../../api/client.ts";
import { StatusBadge } from "../../components/texts.tsx";
import { Thumbnail } from "../../components/thumbnail.tsx";
import { useFromList } from "../../data/url-query.ts";
import { useScope } from "../../data/scope.ts";
import classes from "./gallery.module.css";
import type { Selection } from "../../data/use-selection.ts";

type Props = { generations: readonly Generation[]; selection: Selection<Generation> };

export function Gallery({ generations, selection }: Props) {
  return (
    <ul className={classes.gallery} aria-label="Generations">
      {generations.map((generation) => (
        <Tile
          key={generation.id}
          generation={generation}
          isSelected={selection.has(generation.id)}
          onSelect={(event) => selection.change(generation.id, event)}
        />
      ))}
    </ul>
  );
}

type TileProps = {
  generation: Generation;
  isSelected: boolean;
  onSelect: ChangeEventHandler<HTMLInputElement>;
};

function Tile({ generation, isSelected, onSelect }: TileProps) {
  const { to } = useScope();
  const fromList = useFromList();
  const [isPreviewed, setPreviewed] = useState(false);
  const { prompt } = generation.input;
  return (
    <li className={classes.tile} data-selected={isSelected || undefined}>
      <Link
        to={to(`generations/${generation.id}`, generation.mode)}
        state={fromList}
        className={classes.picture}
        tabIndex={-1}
        aria-hidden
        onPointerEnter={() => setPreviewed(true)}
        onPointerLeave={() => setPreviewed(false)}
      >
        <Thumbnail generation={generation} width="fill" />
        {isPreviewed && <Preview generation={generation} />}
      </Link>
      <Anchor
        component={Link}
        to={to(`generations/${generation.id}`, generation.mode)}
        state={fromList}
        size="sm"
        c="var(--mantine-color-text)"
        lineClamp={2}
        onFocus={() => setPreviewed(true)}
        onBlur={() => setPreviewed(false)}
      >
        {prompt}
      </Anchor>
      <Text size="xs" c="dimmed" truncate>
        {generation.model}
        {generation.output.length > 1 && ` · ${generation.output.length} images`}
      </Text>
      <Group justify="space-between" mt="auto">
        <StatusBadge status={generation.status} />
        <Checkbox
          size="sm"
          aria-label={`Select: ${prompt}`}
          checked={isSelected}
          onChange={onSelect}
        />
      </Group>
    </li>
  );
}

/** The video itself, over its thumbnail; nothing for an image. */
function Preview({ generation }: { generation: Generation }) {
  const [file] = generation.output;
  if (!file || !("duration" in file)) return null;
  return (
    <video
      className={classes.preview}
      src={file.url}
      muted
      autoPlay
      loop
      playsInline
      data-testid="preview"
    />
  );
}
