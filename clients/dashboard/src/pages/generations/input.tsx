/** What was asked for, field by field, after defaults. */
import { Anchor, Text } from "@mantine/core";
import type { Generation } from "../../api/client.ts";
import { Facts } from "../../components/detail-list.tsx";

const NAMES: Record<string, string> = {
  model: "Model",
  prompt: "Prompt",
  negative_prompt: "Negative prompt",
  image_url: "Image URL",
  image_urls: "Reference images",
  duration: "Duration",
  aspect_ratio: "Aspect ratio",
  size: "Size",
  prompt_extend: "Prompt may be rewritten",
  seed: "Seed",
  webhook_url: "Webhook URL",
  metadata: "Metadata",
};

export function Input({ generation: { input } }: { generation: Generation }) {
  const given = input as Record<string, unknown>;
  const facts = Object.keys(NAMES).flatMap((name) => {
    const value = given[name];
    return value === undefined || isEmpty(value)
      ? []
      : [{ name: NAMES[name] ?? name, value: <Value name={name} value={value} /> }];
  });
  return <Facts facts={facts} />;
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (name === "duration") return <>{String(value)} seconds</>;
  if (typeof value === "boolean") return <>{value ? "yes" : "no"}</>;
  if (name === "image_url") return <Outside url={String(value)} />;
  if (Array.isArray(value))
    return value.map((url) => <Outside key={String(url)} url={String(url)} />);
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).map(([key, text]) => (
      <Text key={key} size="sm" className="mono">
        {key}: {String(text)}
      </Text>
    ));
  }
  return <>{String(value)}</>;
}

/** A link and no picture: the page asks no other host for anything. */
function Outside({ url }: { url: string }) {
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noreferrer"
      size="sm"
      style={{ wordBreak: "break-all" }}
    >
      {url}
    </Anchor>
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
