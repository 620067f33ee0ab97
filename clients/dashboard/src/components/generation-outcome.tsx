/** A generation's state: progress with a cancel button, the output, or the error. */
import { Alert, Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { CircleAlert, CircleSlash, Download } from "lucide-react";
import type { Generation, Schemas } from "../api/client.ts";
import { fileName, isFinished } from "../data/generation.ts";
import { useScope } from "../data/scope.ts";
import { ActionForm } from "./action-form.tsx";
import { CopyText, Note } from "./texts.tsx";
import { fileSize } from "../data/value-format.ts";
import classes from "./output.module.css";

export function GenerationOutcome({ generation }: { generation: Generation }) {
  if (!isFinished(generation)) return <Unfinished generation={generation} />;
  if (generation.status === "canceled") {
    return (
      <Alert color="gray" icon={<CircleSlash aria-hidden />} title="Canceled">
        All reserved Tokens were restored.
      </Alert>
    );
  }
  if (generation.error) {
    return (
      <Alert color="red" icon={<CircleAlert aria-hidden />} title={generation.error.code}>
        {generation.error.message}
      </Alert>
    );
  }
  return <Output generation={generation} />;
}

function Unfinished({ generation: { id, status, progress } }: { generation: Generation }) {
  const { may } = useScope();
  return (
    <Stack py="xl">
      <Group justify="space-between">
        <Text size="sm" role="status">
          {status === "pending" ? "Waiting to start" : "Generating"}
        </Text>
        <Text size="sm" c="dimmed" className="number">
          {progress} %
        </Text>
      </Group>
      <Progress value={progress} animated size="lg" aria-label="Progress of the generation" />
      {may("cancelGeneration") && (
        <ActionForm action="Cancel" run={(call) => call("cancelGeneration", { id })} />
      )}
    </Stack>
  );
}

type File = Schemas["VideoOutput"] | Schemas["ImageOutput"];

function Output({ generation }: { generation: Generation }) {
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
            <Note>{properties(file)}</Note>
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
