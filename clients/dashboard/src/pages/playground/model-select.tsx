/** The choice of a model from the catalog; unavailable models are listed with the reason. */
import { Badge, Group, Select, Text } from "@mantine/core";
import type { Model } from "../../api/client.ts";
import { Note } from "../../components/texts.tsx";

const REASONS = {
  pricing_unverified: "price not verified",
  disabled: "out of service",
  no_route: "currently not available",
};

type Props = { models: readonly Model[]; value: string; onChange: (model: Model) => void };

export function ModelSelect({ models, value, onChange }: Props) {
  const item = ({ id, availability }: Model) => ({
    value: id,
    label: id,
    disabled: availability !== "available",
  });
  const kind = (wanted: Model["kind"]) => models.filter((model) => model.kind === wanted).map(item);
  return (
    <Select
      label="Model"
      allowDeselect={false}
      value={value}
      onChange={(id) => {
        const chosen = models.find((model) => model.id === id);
        if (chosen) onChange(chosen);
      }}
      data={[
        { group: "Video", items: kind("video") },
        { group: "Image", items: kind("image") },
      ]}
      maxDropdownHeight={360}
      renderOption={({ option }) => {
        const model = models.find(({ id }) => id === option.value);
        return (
          <Group justify="space-between" w="100%" wrap="nowrap">
            <div>
              <Text size="sm">{option.label}</Text>
              <Note>{model && takes(model)}</Note>
            </div>
            {model?.unavailable_reason ? (
              <Badge color="gray">{REASONS[model.unavailable_reason]}</Badge>
            ) : (
              <Note>{model && perUnit(model)}</Note>
            )}
          </Group>
        );
      }}
    />
  );
}

/** What the model makes, and of what. */
function takes({ kind, inputs, required_inputs: required, durations, ...images }: Model): string {
  const isFromImage = kind === "video" && inputs.includes("image");
  const references = images.max_reference_images;
  const source = required.includes("image") ? "from an image" : "from text or an image";
  const parts = [
    isFromImage ? source : "from text",
    ...(durations ? [`${durations.min} to ${durations.max} s`] : []),
    ...(references === 1 ? ["1 reference image"] : []),
    ...(references > 1 ? [`up to ${references} reference images`] : []),
  ];
  return parts.join(", ");
}

function perUnit({ pricing }: Model): string {
  if (!pricing) return "";
  const unit =
    pricing.unit_quantity === 1 ? pricing.unit : `${pricing.unit_quantity} ${pricing.unit}s`;
  return `${pricing.tokens} Tokens / ${unit}`;
}
