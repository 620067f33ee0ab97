/** Forms that say what is wrong in the page, their fields and their buttons. */
import {
  type ComponentProps,
  type ComponentType,
  createContext,
  type InputEvent,
  type InvalidEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import * as mantine from "@mantine/core";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Schemas } from "../../api/client.ts";
import { messageAt, Refusal } from "../../api/refusal.ts";
import { useUser } from "../../data/scope.ts";
import { counted, tokens } from "../../data/value-format.ts";
import { Message } from "./message.tsx";

/** Why the form was refused, if it was. */
export const RefusalContext = createContext<unknown>(undefined);

type Fault = { name?: string; error?: ReactNode; onInput?: (event: never) => void };
/** `hint` says what the field takes, in place of what the service says when it refuses a text. */
export type Hinted = { hint?: string | undefined };

/** The browser's words, which are in its user's language; for a pattern those of the field. */
function faultText({ validity, title, validationMessage }: HTMLInputElement) {
  return validity.patternMismatch && title !== "" ? title : validationMessage;
}

/** A field that says what is wrong with it since the last attempt to submit its form, also what the service says. */
function withFault<P extends Fault>(Input: ComponentType<P>): ComponentType<P & Hinted> {
  return function Field({ error, onInput, hint, ...rest }: P & Hinted) {
    const [fault, setFault] = useState("");
    const refused = messageAt(rest.name, useContext(RefusalContext));
    const onInvalid = (event: InvalidEvent<HTMLInputElement>) => {
      const { currentTarget: field } = event;
      // Without the bubble the browser does not focus the first such field either.
      event.preventDefault();
      if (field.form?.querySelector("input:invalid, textarea:invalid") === field) field.focus();
      setFault(faultText(field));
    };
    const told = {
      error: error ?? (fault || (refused && <Message text={hint ?? refused} />)),
      onInvalid,
      // Not while capturing: React would render the field with its old value before `onChange` hears of the new one.
      onInput: (event: InputEvent<HTMLInputElement>) => {
        const { currentTarget: field } = event;
        setFault((before) => before && (field.validity.valid ? "" : faultText(field)));
        onInput?.(event as never);
      },
    };
    return <Input {...(rest as unknown as P)} {...told} />;
  };
}

/** Whether the service refused a field of the form that can be seen: it gets the focus, and says why itself. */
export function useRefusedField(form: RefObject<HTMLFormElement | null>, error: unknown): boolean {
  const named = error instanceof Refusal && form.current?.elements.namedItem(error.param ?? "");
  const isField = named instanceof HTMLInputElement || named instanceof HTMLTextAreaElement;
  const refused = isField && named.checkVisibility() ? named : undefined;
  useEffect(() => refused?.focus(), [refused, error]);
  return refused !== undefined;
}

type BusyButtonProps = mantine.ButtonProps &
  mantine.ElementProps<"button", keyof mantine.ButtonProps> & { isBusy: boolean };

export function BusyButton({ isBusy, disabled = false, onClick, ...rest }: BusyButtonProps) {
  const isIdle = !isBusy && !disabled;
  return (
    <mantine.Button
      {...rest}
      loading={isBusy}
      data-disabled={disabled}
      aria-disabled={!isIdle}
      onClick={isIdle ? onClick : refuse}
      renderRoot={(props) => <button {...props} disabled={false} />}
    />
  );
}

/** Also submits no form. */
const refuse = (event: MouseEvent) => event.preventDefault();

/** What stands beside a field is as high as its input, which is below the label. */
export const LABEL_HEIGHT = 24;

export const TextInput = withFault(mantine.TextInput);
const Textarea = withFault(mantine.Textarea);
const PasswordInput = withFault(mantine.PasswordInput);

type LimitedProps = Omit<mantine.TextareaProps, "onChange" | "value" | "maxLength"> & {
  value: string;
  /** The limit in characters as the service counts them: an emoji is one. */
  limit: number;
  onChange: (value: string) => void;
};

export function LimitedTextarea({ value, limit, onChange, description, ...rest }: LimitedProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const length = Array.from(value).length;
  const excess = length - limit;
  const fault = excess > 0 ? `Shorten it by ${counted(excess, "character")}.` : "";
  useEffect(() => field.current?.setCustomValidity(fault), [fault]);
  return (
    <Textarea
      ref={field}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      description={
        <>
          {description} {tokens(length)} of {tokens(limit)} characters
        </>
      }
      error={fault === "" ? undefined : fault}
      {...rest}
    />
  );
}

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
        shown >= 10_000 && (
          <mantine.Text size="xs" c="dimmed" className="number" px="sm" aria-hidden>
            {tokens(shown)}
          </mantine.Text>
        )
      }
      {...rest}
    />
  );
}

/** The number in a field, under the field's name; nothing where the field is empty. */
export function optionalNumber<N extends string>(
  form: FormData,
  name: N,
): { [name in N]?: number } {
  const text = field(form, name);
  return text === "" ? {} : ({ [name]: Number(text) } as { [name in N]: number });
}

/** The text in a field, without spaces around it. */
export function field(form: FormData, name: string): string {
  const value = form.get(name);
  if (typeof value !== "string") return "";
  return name.includes("password") ? value : value.trim();
}

/** The password in a form with `OwnPassword`; empty for a user who has none. */
export function passwordIn(form: FormData): Schemas["PasswordRequest"] {
  const password = field(form, "password");
  return password === "" ? {} : { password };
}

/** Asks users who have a password for it. */
export function OwnPassword(props: PasswordProps) {
  if (useUser().has_password) return <CurrentPassword label="Your password" {...props} />;
  return (
    <mantine.Text size="sm" c="dimmed">
      You have no password, so this needs a sign-in of the last ten minutes.
    </mantine.Text>
  );
}

type PasswordProps = Omit<mantine.PasswordInputProps, "ref"> & { ref?: Ref<HTMLInputElement> };

export function CurrentPassword(props: PasswordProps) {
  return (
    <PasswordInput
      name="password"
      label="Password"
      autoComplete="current-password"
      required
      maxLength={128}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
      {...props}
    />
  );
}

const MIN_PASSWORD_LENGTH = 10;

export function NewPassword(props: PasswordProps) {
  return (
    <CurrentPassword
      description={`At least ${MIN_PASSWORD_LENGTH} characters of any kind, hard to guess.`}
      autoComplete="new-password"
      minLength={MIN_PASSWORD_LENGTH}
      {...props}
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

export function EmailInput(props: mantine.TextInputProps) {
  return (
    <TextInput
      name="email"
      label="E-mail"
      type="email"
      autoComplete="username"
      required
      maxLength={254}
      {...props}
    />
  );
}

export function NameInput(props: mantine.TextInputProps) {
  return (
    <TextInput
      name="name"
      label="Name"
      required
      maxLength={100}
      pattern=".*\S.*"
      title="Enter more than spaces."
      {...props}
    />
  );
}
