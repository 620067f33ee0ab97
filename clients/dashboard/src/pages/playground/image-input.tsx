/** Fields for pictures: each a URL, or a file that is chosen or dropped there and sent at once. */
import {
  ActionIcon,
  Avatar,
  Button,
  FileButton,
  Group,
  Loader,
  Select,
  Stack,
  Text,
} from "@mantine/core";
import { useIsMutating, useMutation } from "@tanstack/react-query";
import { ImageUp, Plus, X } from "lucide-react";
import { useState } from "react";
import { BrowserRefusal } from "../../api/refusal.ts";
import { LABEL_HEIGHT, TextInput } from "../../components/form/form.tsx";
import { Failure } from "../../components/states.tsx";
import { useCall } from "../../data/queries.ts";
import type { ReferenceImage } from "./form-values.ts";

const TYPES = ["image/png", "image/jpeg", "image/webp"];

const UPLOAD = ["playground upload"];

/** Whether a picture is being sent: until it is there, a request would leave it out. */
export const useIsUploading = (): boolean => useIsMutating({ mutationKey: UPLOAD }) > 0;

type Props = {
  label: string;
  /** In the API. */
  name: string;
  /** What the picture is, in the names of the buttons: "the image". */
  what: string;
  description?: string | undefined;
  required?: boolean;
  placeholder?: string | undefined;
  value: string;
  onChange: (url: string) => void;
};

export function ImageInput({ what, value, onChange, ...field }: Props) {
  const call = useCall();
  const upload = useMutation({
    mutationKey: UPLOAD,
    mutationFn: (file: File) => {
      if (!TYPES.includes(file.type)) {
        throw new BrowserRefusal(
          `${file.name} is not a picture that can be used. Choose a PNG, JPEG or WebP file.`,
        );
      }
      const body = new FormData();
      body.append("file", file);
      return call("createPlaygroundFile", { body });
    },
    onSuccess: ({ url }) => onChange(url),
  });
  const [isOver, setOver] = useState(false);
  const send = (file: File | null | undefined) => {
    if (file && !upload.isPending) upload.mutate(file);
  };
  return (
    <Stack
      gap={6}
      flex={1}
      miw={0}
      bdrs="md"
      style={
        isOver ? { outline: "2px dashed var(--mantine-color-indigo-5)", outlineOffset: 4 } : {}
      }
      data-testid={`Drop ${what}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        send(event.dataTransfer.files[0]);
      }}
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
                aria-label={`Choose a file for ${what}`}
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
        {upload.data?.url === value && (
          <Group gap="xs" wrap="nowrap">
            <Avatar src={value} alt="" size={44} radius="sm" />
            <Text size="sm" truncate flex={1}>
              {upload.variables?.name}
            </Text>
            <Button
              variant="subtle"
              size="xs"
              leftSection={<X size={14} aria-hidden />}
              aria-label={`Take out the file for ${what}`}
              onClick={() => onChange("")}
            >
              Take out
            </Button>
          </Group>
        )}
      </div>
      {upload.error && <Failure error={upload.error} />}
    </Stack>
  );
}

type ListProps = {
  max: number;
  /** What each can be; without it they have no role. */
  roles?: readonly string[] | undefined;
  images: readonly ReferenceImage[];
  onChange: (images: ReferenceImage[]) => void;
};

/** A list of reference images: the URL of each, and its role. */
export function ReferenceImages({ max, roles = [], images, onChange }: ListProps) {
  const isUploading = useIsUploading();
  const [role = "subject"] = roles as ReferenceImage["role"][];
  return (
    <Stack gap="xs">
      {images.map((image, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <ImageInput
            label={`Reference image ${index + 1}`}
            name={roles.length > 0 ? `reference_images[${index}].url` : `image_urls[${index}]`}
            what={`reference image ${index + 1}`}
            required
            placeholder="https://images.example.com/chair.png"
            value={image.url}
            onChange={(url) => onChange(images.with(index, { ...image, url }))}
          />
          {roles.length > 0 && (
            <Select
              w={110}
              mt={LABEL_HEIGHT}
              aria-label={`Role of reference image ${index + 1}`}
              allowDeselect={false}
              data={roles}
              value={image.role}
              onChange={(chosen) =>
                onChange(images.with(index, { ...image, role: chosen as typeof role }))
              }
            />
          )}
          <ActionIcon
            variant="default"
            size={36}
            mt={LABEL_HEIGHT}
            // The one that is being sent would come to another place.
            disabled={isUploading}
            aria-label={`Remove reference image ${index + 1}`}
            onClick={() => onChange(images.toSpliced(index, 1))}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {images.length < max && (
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => onChange([...images, { url: "", role }])}
        >
          Add a reference image ({images.length} of {max})
        </Button>
      )}
    </Stack>
  );
}
