/** What is wrong with a field, in the words of the dashboard instead of the browser's. */

/** The flags of the browser's `ValidityState`. */
type Fault =
  | "badInput"
  | "customError"
  | "patternMismatch"
  | "rangeOverflow"
  | "rangeUnderflow"
  | "stepMismatch"
  | "tooShort"
  | "typeMismatch"
  | "valueMissing";

type Field = {
  type: string;
  title: string;
  minLength: number;
  min: string;
  max: string;
  validationMessage: string;
  validity: Readonly<Record<Fault, boolean>>;
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
      : "Enter a complete URL, such as https://example.com/path.";
  }
  if (validity.tooShort) return `Enter at least ${field.minLength} characters.`;
  if (validity.rangeUnderflow) return `Enter ${field.min} or more.`;
  if (validity.rangeOverflow) return `Enter ${field.max} or less.`;
  if (validity.badInput || validity.stepMismatch) return "Enter a whole number.";
  if (validity.patternMismatch && field.title !== "") return field.title;
  return "This cannot be used here.";
}
