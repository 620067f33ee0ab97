/** The fields of a video: image, duration and aspect ratio, where the model supports them. */
import "@mantine/core/styles/Slider.layer.css";
import { Group, Input, SegmentedControl, Slider, Text } from "@mantine/core";
import { useId } from "react";
import type { Schemas } from "../../api/client.ts";
import type { FieldsProps } from "./form-values.ts";
import { ImageInput } from "./image-input.tsx";

/** With more choices than this, a slider replaces the segmented control. */
const MAX_SEGMENTS = 5;

export function VideoFields({ model, values, onChange }: FieldsProps) {
  const ratios = model.aspect_ratios ?? [];
  const ratioId = useId();
  return (
    <>
      {model.inputs.includes("image") && (
        <ImageInput
          label="Image URL"
          name="the image"
          description="The first frame or a reference: a public URL, or a file that you choose or drop here."
          required={model.required_inputs.includes("image")}
          placeholder="https://images.example.com/garden.jpg"
          value={values.imageUrl}
          onChange={(imageUrl) => onChange({ imageUrl })}
        />
      )}
      {model.durations && (
        <Duration
          durations={model.durations}
          value={values.duration}
          onChange={(duration) => onChange({ duration })}
        />
      )}
      {ratios.length > 0 && (
        <Input.Wrapper label="Aspect ratio" labelElement="div" labelProps={{ id: ratioId }}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby={ratioId}
            data={ratios}
            value={values.aspectRatio}
            onChange={(aspectRatio) => onChange({ aspectRatio })}
          />
        </Input.Wrapper>
      )}
    </>
  );
}

type DurationProps = {
  durations: Schemas["Durations"];
  value: number;
  onChange: (seconds: number) => void;
};

function Duration({ durations: { min, max, step }, value, onChange }: DurationProps) {
  const id = useId();
  const count = Math.floor((max - min) / step) + 1;
  const choices = Array.from({ length: count }, (_, index) => min + index * step);
  return (
    <Input.Wrapper
      labelElement="div"
      labelProps={{ id, style: { width: "100%" } }}
      label={
        <Group justify="space-between" component="span">
          <span>Duration</span>
          <Text span size="sm" className="number">
            {value} s
          </Text>
        </Group>
      }
    >
      {count <= MAX_SEGMENTS ? (
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby={id}
          data={choices.map((seconds) => ({ value: String(seconds), label: `${seconds} s` }))}
          value={String(value)}
          onChange={(chosen) => onChange(Number(chosen))}
        />
      ) : (
        <Slider
          thumbLabel="Duration in seconds"
          min={min}
          max={max}
          step={step}
          value={value}
          label={null}
          onChange={onChange}
          my={8}
        />
      )}
    </Input.Wrapper>
  );
}
