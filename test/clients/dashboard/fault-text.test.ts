/** What the dashboard says is wrong with a field. */
import { expect, it } from "vitest";
import { faultText } from "../../../clients/dashboard/src/components/form/fault-text.ts";

const VALID = {
  badInput: false,
  customError: false,
  patternMismatch: false,
  rangeOverflow: false,
  rangeUnderflow: false,
  stepMismatch: false,
  tooShort: false,
  typeMismatch: false,
  valueMissing: false,
};
const FIELD = {
  type: "number",
  title: "",
  minLength: -1,
  min: "1",
  max: "",
  validationMessage: "",
};

it.each([
  [{}, { badInput: true }, "Enter a whole number."],
  [{}, { stepMismatch: true }, "Enter a whole number."],
  [{}, { rangeUnderflow: true }, "Enter 1 or more."],
  [{ type: "text" }, { valueMissing: true }, "Fill in this field."],
  [{ type: "checkbox" }, { valueMissing: true }, "Tick this first."],
  [{ type: "email" }, { typeMismatch: true }, "Enter an e-mail address, such as ada@example.com."],
  [
    { type: "url" },
    { typeMismatch: true },
    "Enter a complete URL, such as https://example.com/path.",
  ],
  [{ validationMessage: "The server's words." }, { customError: true }, "The server's words."],
])("says of %j with %j: %s", (field, fault, text) => {
  expect(faultText({ ...FIELD, ...field, validity: { ...VALID, ...fault } })).toBe(text);
});
