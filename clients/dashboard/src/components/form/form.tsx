/** A form that says what is wrong below the field, in place of the browser's bubbles. */
import {
  createContext,
  useContext,
  useState,
  type ComponentProps,
  type InvalidEvent,
  type InputEvent,
} from "react";
import { faultText } from "./fault-text.ts";

const Faults = createContext<Readonly<Record<string, string>>>({});

/** What is wrong with the field of this id since the last attempt to submit its form. */
export function useFault(id: string): string | undefined {
  return useContext(Faults)[id];
}

/** `onSubmit` is called only when every field is valid, as in any form. */
export function Form({ children, ...rest }: ComponentProps<"form">) {
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const onInvalid = (event: InvalidEvent<HTMLFormElement>) => {
    const field = fieldOf(event.target);
    if (!field) return;
    // Without the bubble the browser does not focus the first such field either.
    event.preventDefault();
    if (event.currentTarget.querySelector("input:invalid, textarea:invalid") === field) {
      field.focus();
    }
    setFaults((known) => ({ ...known, [field.id]: faultText(field as HTMLInputElement) }));
  };
  const onInput = (event: InputEvent<HTMLFormElement>) => {
    const field = fieldOf(event.target);
    if (!field || !(field.id in faults)) return;
    const { [field.id]: _before, ...others } = faults;
    const isValid = field.validity.valid;
    setFaults(isValid ? others : { ...others, [field.id]: faultText(field as HTMLInputElement) });
  };
  return (
    <Faults value={faults}>
      <form {...rest} onInvalidCapture={onInvalid} onInput={onInput}>
        {children}
      </form>
    </Faults>
  );
}

function fieldOf(target: EventTarget): HTMLInputElement | HTMLTextAreaElement | undefined {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return isField ? target : undefined;
}
