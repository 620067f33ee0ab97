/** The fields of an image: size and reference images, where the model supports them. */
import { ActionIcon, Button, Group, Select, Stack } from "@mantine/core";
import { Plus, X } from "lucide-react";
import type { FieldsProps } from "./form-values.ts";
import { TextInput } from "../../components/form/fields.tsx";

export function ImageFields({ model, values, onChange }: FieldsProps) {
  const tiers = model.pricing?.tiers;
  const sizes = tiers
    ? tiers.map(({ tier, sizes: items, tokens }) => ({
        group: `${tier}, ${tokens} Tokens`,
        items,
      }))
    : model.sizes;
  return (
    <>
      <Select
        label="Size"
        allowDeselect={false}
        data={sizes}
        value={values.size}
        onChange={(size) => onChange({ size: size ?? values.size })}
      />
      {model.inputs.includes("image") && model.max_reference_images > 0 && (
        <References
          max={model.max_reference_images}
          urls={values.imageUrls}
          onChange={(imageUrls) => onChange({ imageUrls })}
        />
      )}
    </>
  );
}

type ReferencesProps = {
  max: number;
  urls: readonly string[];
  onChange: (urls: readonly string[]) => void;
};

function References({ max, urls, onChange }: ReferencesProps) {
  return (
    <Stack gap="xs">
      {urls.map((url, index) => (
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={`Reference image ${index + 1}`}
            type="url"
            required
            placeholder="https://images.example.com/chair.png"
            value={url}
            onChange={(event) => onChange(urls.with(index, event.currentTarget.value))}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={`Remove reference image ${index + 1}`}
            onClick={() => onChange(urls.toSpliced(index, 1))}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {urls.length < max && (
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => onChange([...urls, ""])}
        >
          Add a reference image ({urls.length} of {max})
        </Button>
      )}
    </Stack>
  );
}
