/** Readers of the documents and of the types made of them meet no field that is a name alone. */
import { expect, it } from "vitest";
import dashboard from "#gen/openapi/dashboard.json" with { type: "json" };
import media from "#gen/openapi/media.json" with { type: "json" };
import openai from "#gen/openapi/openai.json" with { type: "json" };

/** The places of properties of schemas within `node` that nothing describes. */
function undescribed(node: unknown, place: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === "example" || name === "examples") return [];
    const own = name === "properties" && !("$ref" in node) ? fieldsWithout(value, place) : [];
    return [...own, ...undescribed(value, `${place}/${name}`)];
  });
}

const fieldsWithout = (properties: object, place: string) =>
  Object.entries(properties)
    .filter(([, schema]: [string, object]) =>
      ["description", "$ref", "allOf", "const"].every((word) => !(word in schema)),
    )
    .map(([field]) => `${place}.${field}`);

it.each(Object.entries({ media, openai, dashboard }))(
  "%s.yaml describes each field",
  (_, document) => {
    expect(undescribed(document.components.schemas, "")).toEqual([]);
  },
);
