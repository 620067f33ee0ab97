/** A generation's files: a video player or picture, its properties and a download link. */
import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Download } from "lucide-react";
import type { Generation, Schemas } from "../api/client.ts";
import { fileName } from "../data/file-name.ts";
import { CopyText } from "./copy-text.tsx";
import { fileSize } from "./value-format.ts";
import classes from "./output.module.css";

type File = Schemas["VideoOutput"] | Schemas["ImageOutput"];

export function Output({ generation }: { generation: Generation }) {
  return (
    <Stack>
      {generation.output.map((file, index) => (
        <Stack key={file.url} gap="xs">
          {"duration" in file ? (
            <video
              className={classes.media}
              src={file.url}
              poster={file.thumbnail_url}
              width={file.width}
              height={file.height}
              controls
              playsInline
              preload="metadata"
              aria-label={`Video: ${generation.input.prompt}`}
            />
          ) : (
            <img
              className={classes.media}
              src={file.url}
              width={file.width}
              height={file.height}
              alt={generation.input.prompt}
            />
          )}
          <Group justify="space-between" gap="xs">
            <Text size="xs" c="dimmed" className="number">
              {properties(file)}
            </Text>
            <Group gap="xs">
              <CopyText value={file.url} label="Copy the URL" />
              <Anchor href={file.url} download={fileName(generation, index)} size="sm">
                <Group gap={6} component="span">
                  <Download size={15} aria-hidden />
                  Download
                </Group>
              </Anchor>
            </Group>
          </Group>
        </Stack>
      ))}
    </Stack>
  );
}

const PROVENANCE: Record<File["provenance"], string> = {
  c2pa: "marked as made by AI (C2PA)",
  iptc: "marked as made by AI (IPTC)",
  none: "not marked as made by AI",
};

function properties(file: File): string {
  const seconds = "duration" in file ? [`${file.duration.toFixed(1)} s`] : [];
  return [
    `${file.width} × ${file.height}`,
    ...seconds,
    fileSize(file.bytes),
    file.content_type,
    PROVENANCE[file.provenance],
  ].join(" · ");
}
