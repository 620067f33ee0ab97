/** A generation's thumbnail, or an icon where there is none. */
import { Avatar, Loader } from "@mantine/core";
import { CircleSlash, Film, ImageIcon } from "lucide-react";
import type { Generation } from "../api/client.ts";
import { isFinished, isVideo } from "../data/generation.ts";

const ICON_SIZE = 18;

/** The width in a row of a table: smaller on a phone, where the prompt needs the room. */
const ROW_WIDTH = "clamp(52px, 15vw, 72px)";

/** `width`: "fill" for all the available width; without it, as wide as fits a row of a table. */
type Props = { generation: Generation; width?: "fill" };

export function Thumbnail({ generation, width }: Props) {
  return (
    <Avatar
      src={generation.output[0]?.thumbnail_url ?? null}
      alt=""
      imageProps={{ loading: "lazy" }}
      w={width === "fill" ? "100%" : ROW_WIDTH}
      h="auto"
      radius={8}
      bd="1px solid var(--line)"
      style={{ aspectRatio: "16 / 9", flex: "none" }}
    >
      <StatusIcon generation={generation} />
    </Avatar>
  );
}

function StatusIcon({ generation }: { generation: Generation }) {
  if (!isFinished(generation)) return <Loader size={ICON_SIZE} aria-hidden />;
  const Icon =
    generation.status !== "success" ? CircleSlash : isVideo(generation) ? Film : ImageIcon;
  return <Icon size={ICON_SIZE} aria-hidden />;
}
