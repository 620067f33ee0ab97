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

it.each(["badInput", "stepMismatch"])("asks for a whole number where there is a %s", (fault) => {
  const field = { ...FIELD, validity: { ...VALID, [fault]: true } };
  expect(faultText(field)).toBe("Enter a whole number.");
});
