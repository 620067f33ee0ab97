/** The fields of an image: size and reference images, where the model supports them. */
import { Select } from "@mantine/core";
import type { FieldsProps } from "./form-values.ts";
import { ReferenceImages } from "./reference-images.tsx";

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
        <ReferenceImages
          max={model.max_reference_images}
          images={values.imageUrls}
          urlOf={(url) => url}
          withUrl={(_, url) => url}
          empty=""
          placeholder="https://images.example.com/chair.png"
          onChange={(imageUrls) => onChange({ imageUrls })}
        />
      )}
    </>
  );
}
