/** Reads values from JSON of unknown shape. */
import type { Picture, Source } from "../provider.ts";

type Path = readonly (string | number)[];

export function at(value: unknown, ...path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/** Returns the text at the path; undefined if there is none or it is empty. */
export function textAt(value: unknown, ...path: Path): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

export function numberAt(value: unknown, ...path: Path): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** Returns the list at the path; empty if there is none. */
export function listAt(value: unknown, ...path: Path): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Returns undefined if the text is not JSON. */
export function parsedJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === "string" ? text : Buffer.from(text).toString()) as unknown;
  } catch {
    return undefined;
  }
}

const DATA_URI = /^data:[^,]*;base64,/;

/** Decodes base64, with or without the prefix of a data URI; returns undefined if it has no bytes. */
export function inlineSource(text = ""): Source | undefined {
  const content = Buffer.from(text.replace(DATA_URI, ""), "base64");
  return content.length === 0 ? undefined : { content };
}

export function dataUri({ content, contentType }: Picture): string {
  return `data:${contentType};base64,${Buffer.from(content).toString("base64")}`;
}
