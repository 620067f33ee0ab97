/** Forms that say what is wrong in the page, their fields and their buttons. */
import {
  type ComponentProps,
  type ComponentPropsWithoutRef,
  type ComponentType,
  createContext,
  type InputEvent,
  type InvalidEvent,
  type MouseEvent,
  type ReactNode,
  type SubmitEvent,
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useMergedRef } from "@mantine/hooks";
import { Refusal } from "../../api/refusal.ts";
import { faultText } from "./fault-text.ts";
import * as mantine from "@mantine/core";
import {
  Button,
  type ButtonProps,
  Group,
  Text,
  type TextareaProps,
  type TextInputProps,
} from "@mantine/core";
import classes from "./field-row.module.css";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Schemas } from "../../api/client.ts";
import { useUser } from "../../data/scope.ts";

type FaultTexts = Readonly<Record<string, string>>;

/** Shows what the server says of a field of this name; answers how it is taken back, where there is such a field. */
type Place = (param: string, message: string) => (() => void) | undefined;

const Placing = createContext<Place>(() => undefined);

const Faults = createContext<FaultTexts>({});

/** What is wrong with the field of this id since the last attempt to submit its form. */
function useFault(id: string): string | undefined {
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

type BusyButtonProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> & {
    isBusy: boolean;
    /** How far it is, in place of the loader. */
    progress?: string | undefined;
  };

export function BusyButton({
  isBusy,
  progress,
  disabled = false,
  onClick,
  ...rest
}: BusyButtonProps) {
  const isIdle = !isBusy && !disabled;
  return (
    <Button
      {...rest}
      loading={isBusy && !progress}
      data-disabled={disabled}
      aria-disabled={!isIdle}
      onClick={isIdle ? onClick : refuse}
      renderRoot={(props) => <button {...props} disabled={false} />}
    >
      {(isBusy && progress) || rest.children}
    </Button>
  );
}

/** Also submits no form. */
const refuse = (event: MouseEvent) => event.preventDefault();

type DialogButtonsProps = {
  action: string;
  isPending: boolean;
  /** Whether what is submitted cannot be undone. */
  isDangerous?: boolean;
  onCancel: () => void;
};

export function DialogButtons({
  action,
  isPending,
  isDangerous = false,
  onCancel,
}: DialogButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <BusyButton type="submit" color={isDangerous ? "red.8" : undefined} isBusy={isPending}>
        {action}
      </BusyButton>
    </Group>
  );
}

export function FieldRow({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

type FieldProps = { id?: string | undefined; error?: ReactNode };

export const TextInput = withFault(mantine.TextInput);
const Textarea = withFault(mantine.Textarea);
export const PasswordInput = withFault(mantine.PasswordInput);

function withFault<P extends FieldProps>(Input: ComponentType<P>): ComponentType<P> {
  return function Field(props: P) {
    const ownId = useId();
    const { id = ownId, error } = props;
    const fault = useFault(id);
    return <Input {...props} id={id} error={error ?? fault} />;
  };
}

type LimitedTextareaProps = Omit<TextareaProps, "onChange" | "value" | "maxLength"> & {
  value: string;
  /** The limit in characters as the service counts them: an emoji is one. */
  limit: number;
  onChange: (value: string) => void;
};

export function LimitedTextarea({
  value,
  limit,
  onChange,
  description,
  ...rest
}: LimitedTextareaProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const length = Array.from(value).length;
  const excess = length - limit;
  const fault =
    excess > 0
      ? `Shorten it by ${count(excess)} ${excess === 1 ? "character" : "characters"}.`
      : "";
  useEffect(() => field.current?.setCustomValidity(fault), [fault]);
  return (
    <Textarea
      ref={field}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      description={
        <>
          {description} {count(length)} of {count(limit)} characters
        </>
      }
      error={fault === "" ? undefined : fault}
      {...rest}
    />
  );
}

const count = (amount: number) => amount.toLocaleString("en-US");

const grouped = new Intl.NumberFormat("en-US");
/** From here on digits are hard to count. */
const LONG = 10_000;

type TokensInputProps = Omit<ComponentProps<typeof TextInput>, "value" | "type"> & {
  /** What the field begins with, and has until something is entered. */
  value: number | undefined;
};

export function TokensInput({ value, ...rest }: TokensInputProps) {
  const [entered, setEntered] = useState<number>();
  const shown = entered ?? value ?? 0;
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      min={1}
      max={DASHBOARD_LIMITS.limitTokens}
      step={1}
      placeholder="none"
      defaultValue={value ?? ""}
      onInput={(event) => setEntered(Number(event.currentTarget.value))}
      rightSectionWidth="auto"
      rightSectionPointerEvents="none"
      rightSection={
        shown >= LONG && (
          <Text size="xs" c="dimmed" className="number" px="sm" aria-hidden>
            {grouped.format(shown)}
          </Text>
        )
      }
      {...rest}
    />
  );
}

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

const NAME = "password";

/** The password in a form with this field; empty for a user who has none. */
export function passwordIn(form: FormData): Schemas["PasswordRequest"] {
  const password = field(form, NAME);
  return password === "" ? {} : { password };
}

export function CurrentPassword({ label = "Password" }: { label?: string }) {
  const user = useUser();
  if (!user.has_password) {
    return (
      <Text size="sm" c="dimmed">
        You have no password, so this needs a sign-in of the last ten minutes.
      </Text>
    );
  }
  return (
    <PasswordInput
      name={NAME}
      label={label}
      autoComplete="current-password"
      required
      maxLength={128}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
    />
  );
}

export function CodeInput({ label }: { label: string }) {
  return (
    <TextInput
      name="code"
      label={label}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]{6}"
      title="Enter the six digits that the app shows."
      maxLength={6}
      maw={200}
      required
    />
  );
}

const MIN_PASSWORD_LENGTH = 10;

export function NewPassword({ name, label }: { name: string; label: string }) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description={`At least ${MIN_PASSWORD_LENGTH} characters of any kind, hard to guess.`}
      autoComplete="new-password"
      required
      minLength={MIN_PASSWORD_LENGTH}
      maxLength={128}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
    />
  );
}

type NameInputProps = Omit<TextInputProps, "onChange"> & {
  value: string;
  onChange: (value: string) => void;
};

export function NameInput({ onChange, ...rest }: NameInputProps) {
  return (
    <TextInput
      name="name"
      required
      maxLength={100}
      pattern=".*\S.*"
      title="Enter more than spaces."
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}
