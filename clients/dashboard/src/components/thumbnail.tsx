/** A generation's small picture, or a sign for what it will be. */
import { Box, Center, Loader } from "@mantine/core";
import { CircleSlash, Film, ImageIcon } from "lucide-react";
import type { Generation } from "../api/client.ts";
import { isFinished, isVideo, thumbnail } from "../data/generation.ts";

const SIGN = 18;

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
          <Sign generation={generation} />
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

function Sign({ generation }: { generation: Generation }) {
  if (!isFinished(generation)) return <Loader size={SIGN} aria-hidden />;
  if (generation.status !== "success") return <CircleSlash size={SIGN} aria-hidden />;
  return isVideo(generation) ? (
    <Film size={SIGN} aria-hidden />
  ) : (
    <ImageIcon size={SIGN} aria-hidden />
  );
}
