/** Checks the fields of a request against what a vendor documents for a model. */

export type Check = (value: unknown) => boolean;
export type Field = { accepts: Check; isRequired: boolean };
export type Fields = Readonly<Record<string, Field>>;

export type FieldFault = { why: "missing" | "unknown" | "wrong"; field: string };

/** The first fault: a required field that is missing, a value that is not accepted, or a field that is not known. */
export function fieldFault(value: unknown, fields: Fields): FieldFault | undefined {
  if (!isObject(value)) return { why: "wrong", field: "body" };
  for (const [field, { accepts, isRequired }] of Object.entries(fields)) {
    const given = value[field];
    if (given === undefined && isRequired) return { why: "missing", field };
    if (given !== undefined && !accepts(given)) return { why: "wrong", field };
  }
  const field = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  return field === undefined ? undefined : { why: "unknown", field };
}

/** What `models` has for the model that a body names. */
export function modelIn<Model>(models: Record<string, Model>, body: unknown): Model | undefined {
  const { model } = (body ?? {}) as { model?: unknown };
  return typeof model === "string" ? models[model] : undefined;
}

export const required = (accepts: Check): Field => ({ accepts, isRequired: true });
export const optional = (accepts: Check): Field => ({ accepts, isRequired: false });

export const flag: Check = (value) => typeof value === "boolean";
export const number = (min: number, max: number): Check => {
  return (value) => typeof value === "number" && value >= min && value <= max;
};
export const whole = (min: number, max: number): Check => {
  return (value) => number(min, max)(value) && Number.isInteger(value);
};
export const text = (maxLength = Number.POSITIVE_INFINITY): Check => {
  return (value) => typeof value === "string" && value !== "" && value.length <= maxLength;
};
export const matching = (pattern: RegExp): Check => {
  return (value) => typeof value === "string" && pattern.test(value);
};
export const oneOf = (...values: (string | number)[]): Check => {
  return (value) => values.includes(value as string);
};
export const listOf = (accepts: Check, min = 0, max = Number.POSITIVE_INFINITY): Check => {
  return (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max && value.every(accepts);
};
export const object = (fields: Fields): Check => {
  return (value) => fieldFault(value, fields) === undefined;
};
export const either = (...checks: Check[]): Check => {
  return (value) => checks.some((accepts) => accepts(value));
};

export const webUrl = matching(/^https?:\/\/\S+$/);
/** A picture at a URL, or as a data URI. */
export const picture = either(webUrl, matching(/^data:image\/[a-z]+;base64,[\w+/=]+$/));
/** E.g. 1280x720, with what stands between the numbers. */
export const pixels = (
  separator: string,
  minArea = 1,
  maxArea = Number.POSITIVE_INFINITY,
): Check => {
  return (value) => {
    const [width, height, ...rest] = typeof value === "string" ? value.split(separator) : [];
    const isSize = /^\d+$/.test(width ?? "") && /^\d+$/.test(height ?? "") && rest.length === 0;
    const area = Number(width) * Number(height);
    return isSize && area >= minArea && area <= maxArea;
  };
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
