/** A form that says what is wrong below the field, in place of the browser's bubbles. */
import {
  createContext,
  useCallback,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type InvalidEvent,
  type InputEvent,
} from "react";
import { useMergedRef } from "@mantine/hooks";
import { Refusal } from "../../api/refusal.ts";
import { faultText } from "./fault-text.ts";

type FaultTexts = Readonly<Record<string, string>>;

/** Shows what the server says of a field of this name; answers how it is taken back, where there is such a field. */
type Place = (param: string, message: string) => (() => void) | undefined;

const Placing = createContext<Place>(() => undefined);

const Faults = createContext<FaultTexts>({});

/** What is wrong with the field of this id since the last attempt to submit its form. */
export function useFault(id: string): string | undefined {
  return useContext(Faults)[id];
}

/** Whether the form around it shows this error at the field that it is about. */
export function useIsAtField(error: unknown): boolean {
  const place = useContext(Placing);
  const [isPlaced, setPlaced] = useState(false);
  useLayoutEffect(() => {
    const param = error instanceof Refusal ? error.param : undefined;
    const takeBack = param && place(param, (error as Refusal).message);
    setPlaced(Boolean(takeBack));
    return takeBack || undefined;
  }, [error, place]);
  return isPlaced;
}

/** `onSubmit` is called only when every field is valid, as in any form. */
export function Form({ children, ref, ...rest }: ComponentProps<"form">) {
  const [faults, setFaults] = useState<FaultTexts>({});
  const form = useRef<HTMLFormElement>(null);
  const merged = useMergedRef(form, ref);
  const place = useCallback<Place>((param, message) => {
    const field = fieldOf(form.current?.elements.namedItem(param) ?? null);
    if (!field) return undefined;
    const label = field.labels?.[0]?.firstChild?.textContent ?? param;
    const text = inWordsOfForm(message, param, label);
    setFaults((known) => ({ ...known, [field.id]: text }));
    field.focus();
    return () => setFaults(({ [field.id]: _before, ...others }) => others);
  }, []);
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
    <Placing value={place}>
      <Faults value={faults}>
        <form {...rest} ref={merged} onInvalidCapture={onInvalid} onInput={onInput}>
          {children}
        </form>
      </Faults>
    </Placing>
  );
}

/** The server begins with the field's name in the API. */
function inWordsOfForm(message: string, param: string, label: string): string {
  if (message.startsWith(`${param} `)) return label + message.slice(param.length);
  if (!message.startsWith(`${param}: `)) return message;
  const rest = message.slice(param.length + 2);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function fieldOf(target: unknown): HTMLInputElement | HTMLTextAreaElement | undefined {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return isField ? target : undefined;
}
