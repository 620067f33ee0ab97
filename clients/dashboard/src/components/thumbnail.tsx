/** A generation's thumbnail, or an icon where there is none. */
import { Box, Center, Loader } from "@mantine/core";
import { CircleSlash, Film, ImageIcon } from "lucide-react";
import type { Generation } from "../api/client.ts";
import { isFinished, isVideo, thumbnail } from "../data/generation.ts";

const ICON_SIZE = 18;

export function Thumbnail({ generation, width = 72 }: { generation: Generation; width?: number }) {
  const source = thumbnail(generation);
  const height = Math.round((width * 9) / 16);
  return (
    <Box
      w={width}
      h={height}
      bg="var(--page)"
      bd="1px solid var(--line)"
      style={{ borderRadius: 8, overflow: "hidden", flex: "none" }}
    >
      {source === undefined ? (
        <Center h="100%" c="dimmed">
          <StatusIcon generation={generation} />
        </Center>
      ) : (
        <img
          src={source}
          alt=""
          loading="lazy"
          width={width}
          height={height}
          style={{ objectFit: "cover", display: "block" }}
        />
      )}
    </Box>
  );
}

function StatusIcon({ generation }: { generation: Generation }) {
  if (!isFinished(generation)) return <Loader size={ICON_SIZE} aria-hidden />;
  if (generation.status !== "success") return <CircleSlash size={ICON_SIZE} aria-hidden />;
  return isVideo(generation) ? (
    <Film size={ICON_SIZE} aria-hidden />
  ) : (
    <ImageIcon size={ICON_SIZE} aria-hidden />
  );
}
