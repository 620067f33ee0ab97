/** A generation's thumbnail, or an icon where there is none. */
import { Box, Center, Loader } from "@mantine/core";
import { CircleSlash, Film, ImageIcon } from "lucide-react";
import { useState } from "react";
import type { Generation } from "../api/client.ts";
import { isFinished, isVideo } from "../data/generation.ts";

const ICON_SIZE = 18;

/** The width in a row of a table: smaller on a phone, where the prompt needs the room. */
const ROW_WIDTH = "clamp(52px, 15vw, 72px)";

/** `width`: "fill" for all the available width; without it, as wide as fits a row of a table. */
type Props = { generation: Generation; width?: "fill" };

export function Thumbnail({ generation, width }: Props) {
  const [failed, setFailed] = useState<string>();
  const source = generation.output[0]?.thumbnail_url;
  return (
    <Box
      w={width === "fill" ? "100%" : ROW_WIDTH}
      bg="var(--page)"
      bd="1px solid var(--line)"
      style={{ aspectRatio: "16 / 9", borderRadius: 8, overflow: "hidden", flex: "none" }}
    >
      {source === undefined || source === failed ? (
        <Center h="100%" c="dimmed">
          <StatusIcon generation={generation} />
        </Center>
      ) : (
        <img
          src={source}
          alt=""
          loading="lazy"
          onError={() => setFailed(source)}
          style={{ width: "100%", height: "100%", objectFit: "cover", display: "block" }}
        />
      )}
    </Box>
  );
}

function StatusIcon({ generation }: { generation: Generation }) {
  if (!isFinished(generation)) return <Loader size={ICON_SIZE} aria-hidden />;
  const Icon =
    generation.status !== "success" ? CircleSlash : isVideo(generation) ? Film : ImageIcon;
  return <Icon size={ICON_SIZE} aria-hidden />;
}
