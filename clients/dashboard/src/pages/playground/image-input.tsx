/** A field for a picture: its URL, or a file that is chosen or dropped there and sent at once. */
import { ActionIcon, Button, FileButton, Group, Loader, Stack, Text } from "@mantine/core";
import { ImageUp, X } from "lucide-react";
import { useState, type DragEvent } from "react";
import { Failure } from "../../components/states.tsx";
import { TextInput } from "../../components/form/form.tsx";
import classes from "./playground.module.css";
import { useUpload } from "./use-upload.ts";

const TYPES = ["image/png", "image/jpeg", "image/webp"];

type Props = {
  label: string;
  /** What the picture is, in the names of the buttons: "the image". */
  name: string;
  description?: string | undefined;
  required?: boolean;
  placeholder?: string | undefined;
  value: string;
  onChange: (url: string) => void;
};

export function ImageInput({ name, value, onChange, ...field }: Props) {
  const { upload, names } = useUpload(onChange);
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<string>();
  const send = (file: File | null | undefined) => {
    if (!file || upload.isPending) return;
    const isPicture = TYPES.includes(file.type);
    setRefused(isPicture ? undefined : file.name);
    if (isPicture) upload.mutate(file);
    else upload.reset();
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files[0]);
  };
  const sentName = names[value];
  return (
    <Stack
      gap={6}
      flex={1}
      miw={0}
      className={classes.dropPlace}
      data-over={isOver || undefined}
      data-testid={`Drop ${name}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <TextInput
        {...field}
        type="url"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        rightSection={
          <FileButton onChange={send} accept={TYPES.join(",")}>
            {(props) => (
              <ActionIcon
                {...props}
                variant="subtle"
                aria-disabled={upload.isPending}
                onClick={upload.isPending ? undefined : props.onClick}
                aria-label={`Choose a file for ${name}`}
                title="Choose a picture, or drop one here"
              >
                <ImageUp size={16} aria-hidden />
              </ActionIcon>
            )}
          </FileButton>
        }
      />
      <div role="status">
        {upload.isPending && (
          <Group gap="xs">
            <Loader size={14} aria-hidden />
            <Text size="sm">Sending {upload.variables.name}</Text>
          </Group>
        )}
        {!upload.isPending && sentName !== undefined && (
          <Group gap="xs" wrap="nowrap">
            <img src={value} alt="" className={classes.sent} />
            <Text size="sm" truncate flex={1}>
              {sentName}
            </Text>
            <Button
              variant="subtle"
              size="xs"
              leftSection={<X size={14} aria-hidden />}
              aria-label={`Take out the file for ${name}`}
              onClick={() => onChange("")}
            >
              Take out
            </Button>
          </Group>
        )}
      </div>
      {upload.error && <Failure error={upload.error} />}
      {refused !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {refused} is not a picture that can be used. Choose a PNG, JPEG or WebP file.
        </Text>
      )}
    </Stack>
  );
}
