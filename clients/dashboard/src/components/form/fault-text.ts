/** What is wrong with a field, in the words of the dashboard instead of the browser's. */

type Field = {
  type: string;
  title: string;
  minLength: number;
  min: string;
  max: string;
  validationMessage: string;
  validity: Pick<
    ValidityState,
    | "customError"
    | "patternMismatch"
    | "rangeOverflow"
    | "rangeUnderflow"
    | "tooShort"
    | "typeMismatch"
    | "valueMissing"
  >;
};

export function faultText(field: Field): string {
  const { validity } = field;
  if (validity.customError) return field.validationMessage;
  if (validity.valueMissing) {
    return field.type === "checkbox" ? "Tick this first." : "Fill in this field.";
  }
  if (validity.typeMismatch) {
    return field.type === "email"
      ? "Enter an e-mail address, such as ada@example.com."
      : "Enter a complete URL, such as https://example.com/picture.png.";
  }
  if (validity.tooShort) return `Enter at least ${field.minLength} characters.`;
  if (validity.rangeUnderflow) return `Enter ${field.min} or more.`;
  if (validity.rangeOverflow) return `Enter ${field.max} or less.`;
  if (validity.patternMismatch && field.title !== "") return field.title;
  return "This cannot be used here.";
}
