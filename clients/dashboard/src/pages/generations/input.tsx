/** A generation's input, field by field, with the defaults applied. */
import { Anchor, Text } from "@mantine/core";
import type { Generation } from "../../api/client.ts";
import { DetailList, FoldedText, Words } from "../../components/texts.tsx";
import { PARAMETER_LABELS } from "../../components/parameter-labels.ts";

const NAMES: Record<string, string> = {
  model: "Model",
  prompt: "Prompt",
  negative_prompt: "Negative prompt",
  image_url: "Image URL",
  image_urls: "Reference images",
  duration: "Duration",
  aspect_ratio: "Aspect ratio",
  size: "Size",
  seed: "Seed",
  reference_images: "Reference images",
  ...PARAMETER_LABELS,
  webhook_url: "Webhook URL",
  end_user: "End user",
  metadata: "Metadata",
};

export function Input({ generation: { input } }: { generation: Generation }) {
  const fields = input as Record<string, unknown>;
  const details = Object.entries(NAMES).map(([name, label]) => {
    const value = fields[name];
    if (value === undefined || isEmpty(value)) return false;
    return { name: label, value: <Value name={name} value={value} /> };
  });
  return <DetailList details={details} />;
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (name === "prompt" || name === "negative_prompt") {
    return <FoldedText text={String(value)} />;
  }
  if (name === "duration") return <>{String(value)} seconds</>;
  if (typeof value === "boolean") return <>{value ? "yes" : "no"}</>;
  if (name.endsWith("_url")) return <ExternalLink url={String(value)} />;
  if (Array.isArray(value)) {
    return value.map((image: string | { url: string }, index) => (
      <ExternalLink key={index} url={typeof image === "string" ? image : image.url} />
    ));
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).map(([key, text]) => (
      <Text key={key} size="sm" className="mono">
        <Words text={`${key}: ${String(text)}`} />
      </Text>
    ));
  }
  return <>{String(value)}</>;
}

/** A link instead of the picture, because the page requests nothing from other hosts. */
function ExternalLink({ url }: { url: string }) {
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
      <Words text={url} />
    </Anchor>
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
