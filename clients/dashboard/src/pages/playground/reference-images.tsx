/** The reference images of a video: a URL and a role each. */
import { ActionIcon, Button, Group, Select, Stack } from "@mantine/core";
import { Plus, X } from "lucide-react";
import { TextInput } from "../../components/form/fields.tsx";
import type { ReferenceImage } from "./form-values.ts";

type Props = {
  max: number | undefined;
  roles: readonly string[] | undefined;
  images: readonly ReferenceImage[];
  onChange: (images: readonly ReferenceImage[]) => void;
};

export function ReferenceImages({ max = 1, roles = ["subject"], images, onChange }: Props) {
  const change = (index: number, part: Partial<ReferenceImage>) =>
    onChange(images.map((image, at) => (at === index ? { ...image, ...part } : image)));
  return (
    <Stack gap="xs">
      {images.map(({ url, role }, index) => (
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={`Reference image ${index + 1}`}
            type="url"
            required
            value={url}
            onChange={(event) => change(index, { url: event.currentTarget.value })}
          />
          <Select
            w={110}
            aria-label={`Role of reference image ${index + 1}`}
            allowDeselect={false}
            data={roles}
            value={role}
            onChange={(chosen) => change(index, { role: (chosen ?? role) as typeof role })}
          />
          <ActionIcon
            variant="default"
            size={36}
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
          onClick={() =>
            onChange([
              ...images,
              { url: "", role: (roles[0] ?? "subject") as ReferenceImage["role"] },
            ])
          }
        >
          Add a reference image ({images.length} of {max})
        </Button>
      )}
    </Stack>
  );
}
