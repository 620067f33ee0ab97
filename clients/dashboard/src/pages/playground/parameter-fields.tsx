/** The optional fields that the chosen model declares. */
import { Select } from "@mantine/core";
import { PARAMETER_LABELS } from "../../components/parameter-labels.ts";
import { TextInput } from "../../components/form/form.tsx";
import { ImageInput } from "./image-input.tsx";
import { LABEL_HEIGHT, ReferenceImages } from "./reference-images.tsx";
import type { FieldsProps, ReferenceImage } from "./form-values.ts";

const SOUND = [
  { value: "true", label: "With sound" },
  { value: "false", label: "Without sound" },
];

export function ParameterFields({ model, values, onChange }: FieldsProps) {
  const set = (name: string, value: string) =>
    onChange({ parameters: { ...values.parameters, [name]: value } });
  return Object.entries(model.parameters).map(([name, { values: offered, max }]) => {
    const label = PARAMETER_LABELS[name];
    const value = values.parameters[name] ?? "";
    if (name === "reference_images") {
      return (
        <ImagesWithRoles
          key={name}
          max={max}
          roles={offered}
          images={values.referenceImages}
          onChange={(referenceImages) => onChange({ referenceImages })}
        />
      );
    }
    if (label === undefined) return null;
    if (name === "last_image_url" || name === "mask_url") {
      return (
        <ImageInput
          key={name}
          label={label}
          name={name === "mask_url" ? "the mask" : "the last frame"}
          description="A public URL, or a file that you choose or drop here."
          value={value}
          onChange={(url) => set(name, url)}
        />
      );
    }
    if (name.endsWith("_url")) {
      return (
        <TextInput
          key={name}
          label={label}
          type="url"
          value={value}
          onChange={(event) => set(name, event.currentTarget.value)}
        />
      );
    }
    const counts = Array.from({ length: max ?? 1 }, (_, index) => String(index + 1));
    const choices = name === "audio" ? SOUND : (offered ?? counts);
    return (
      <Select
        key={name}
        label={label}
        placeholder={name === "n" ? "1" : "The model decides"}
        clearable
        data={choices}
        value={value || null}
        onChange={(chosen) => set(name, chosen ?? "")}
      />
    );
  });
}

type ImagesProps = {
  max: number | undefined;
  roles: readonly string[] | undefined;
  images: readonly ReferenceImage[];
  onChange: (images: readonly ReferenceImage[]) => void;
};

function ImagesWithRoles({ max = 1, roles = ["subject"], images, onChange }: ImagesProps) {
  return (
    <ReferenceImages
      max={max}
      images={images}
      urlOf={({ url }) => url}
      withUrl={(image, url) => ({ ...image, url })}
      empty={{ url: "", role: (roles[0] ?? "subject") as ReferenceImage["role"] }}
      beside={(image, index) => (
        <Select
          w={110}
          mt={LABEL_HEIGHT}
          aria-label={`Role of reference image ${index + 1}`}
          allowDeselect={false}
          data={roles}
          value={image.role}
          onChange={(chosen) =>
            onChange(
              images.with(index, { ...image, role: (chosen ?? image.role) as typeof image.role }),
            )
          }
        />
      )}
      onChange={onChange}
    />
  );
}
