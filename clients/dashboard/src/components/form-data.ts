/** Reads a form's uncontrolled fields on submit. */
import type { SubmitEvent } from "react";

/** A submit handler that stays on the page and passes the fields' values to `action`. */
export function onSubmit(action: (form: FormData) => void) {
  return (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    action(new FormData(event.currentTarget));
  };
}

export function field(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
