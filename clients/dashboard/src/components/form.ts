/** Reading a form of plain fields when it is sent. */
import type { SubmitEvent } from "react";

/** Keeps the browser on the page and hands over what the fields hold. */
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
