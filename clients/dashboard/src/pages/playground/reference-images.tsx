/** A list of reference images: the URL of each, and what stands beside it. */
import { ActionIcon, Button, Group, Stack } from "@mantine/core";
import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { ImageInput } from "./image-input.tsx";
import { useIsUploading } from "./use-upload.ts";

/** What stands beside a field is as high as its input, which is below the label. */
export const LABEL_HEIGHT = 24;

type Props<Image> = {
  max: number;
  images: readonly Image[];
  urlOf: (image: Image) => string;
  withUrl: (image: Image, url: string) => Image;
  /** What a new one is at first. */
  empty: Image;
  placeholder?: string;
  beside?: (image: Image, index: number) => ReactNode;
  onChange: (images: readonly Image[]) => void;
};

export function ReferenceImages<Image>(props: Props<Image>) {
  const { max, images, urlOf, withUrl, empty, placeholder, beside, onChange } = props;
  const isUploading = useIsUploading();
  return (
    <Stack gap="xs">
      {images.map((image, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <ImageInput
            label={`Reference image ${index + 1}`}
            name={`reference image ${index + 1}`}
            required
            placeholder={placeholder}
            value={urlOf(image)}
            onChange={(url) => onChange(images.with(index, withUrl(image, url)))}
          />
          {beside?.(image, index)}
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
          onClick={() => onChange([...images, empty])}
        >
          Add a reference image ({images.length} of {max})
        </Button>
      )}
    </Stack>
  );
}
