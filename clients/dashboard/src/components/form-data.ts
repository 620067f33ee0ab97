/** Reads a form's uncontrolled fields on submit. */
import type { SubmitEvent } from "react";

/** A submit handler that stays on the page and passes the fields' values to `action`. */
export function onSubmit(action: (form: FormData) => void) {
  return (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    action(new FormData(event.currentTarget));
  };
}

/** The number in a field, under the field's name; nothing where the field is empty. */
export function optionalNumber<N extends string>(
  form: FormData,
  name: N,
): { [name in N]?: number } {
  const text = field(form, name);
  return text === "" ? {} : ({ [name]: Number(text) } as { [name in N]: number });
}

export function field(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
