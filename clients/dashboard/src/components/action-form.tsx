/** A form that calls an operation: its fields, what is wrong, its button, and what is said once it is done. */
import { Alert, Box, Button, Group, Stack } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import { type Call, useAction } from "../data/queries.ts";
import { BusyButton, LABEL_HEIGHT, RefusalContext, useRefusedField } from "./form/form.tsx";
import { Failure } from "./states.tsx";

export type ActionFormProps<A> = {
  /** What the button does, on it. */
  action: string;
  run: (call: Call, form: FormData) => Promise<A>;
  onDone?: (answer: A) => unknown;
  /** Shown in place of the form once it is done. */
  instead?: ReactNode;
  /** Shown below the fields once it is done, until one is changed. */
  answered?: (answer: A) => ReactNode;
  /** Empties the fields once it is done. */
  isCleared?: boolean;
  /** Fields and button are in one row. */
  isRow?: boolean;
  /** The form of a page before sign-in, whose button is the page's. */
  isEntry?: boolean;
  /** Its button is not the page's first one. */
  isSecond?: boolean;
  isDangerous?: boolean;
  /** Whether there is no button, because the user may not do it. */
  isHidden?: boolean;
  icon?: ReactNode;
  /** In a dialog: what its other button does. */
  onCancel?: (() => void) | undefined;
  children?: ReactNode;
};

export function ActionForm<A>(props: ActionFormProps<A>) {
  const { run, onDone, instead, answered, isRow = false, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const acting = useAction(run, (answer) => {
    if (props.isCleared) form.current?.reset();
    return onDone?.(answer);
  });
  const { error } = acting;
  const isSaidByField = useRefusedField(form, error);
  if (acting.isSuccess && instead) return <Done>{instead}</Done>;
  const isMain = props.onCancel !== undefined || (props.isEntry && !props.isSecond);
  const button = !props.isHidden && (
    <BusyButton
      type="submit"
      isBusy={acting.isPending}
      leftSection={props.icon}
      variant={isMain ? "filled" : "default"}
      {...(props.isEntry && { size: "md", styles: { label: { whiteSpace: "normal" } } })}
      {...(props.isDangerous && { color: "red.8" })}
    >
      {props.action}
    </BusyButton>
  );
  return (
    <form
      ref={form}
      onChange={() => acting.isPending || acting.reset()}
      onSubmit={(event) => {
        event.preventDefault();
        acting.mutate(new FormData(event.currentTarget));
      }}
    >
      <Stack gap={isRow ? "sm" : "md"}>
        <RefusalContext value={error}>
          {isRow ? (
            // What is wrong with a field stands below it, so that the button does not move.
            <Group gap="sm" align="flex-start">
              {children}
              <Box mt={LABEL_HEIGHT}>{button}</Box>
            </Group>
          ) : (
            children
          )}
        </RefusalContext>
        {error && !isSaidByField && <Failure error={error} />}
        {acting.isSuccess && answered && <Done>{answered(acting.data)}</Done>}
        {!isRow && (
          <Group
            gap="sm"
            justify={props.onCancel ? "flex-end" : "flex-start"}
            grow={props.isEntry ?? false}
          >
            {props.onCancel && (
              <Button
                variant="default"
                onClick={props.onCancel}
                data-autofocus={props.isDangerous || undefined}
              >
                Cancel
              </Button>
            )}
            {button}
          </Group>
        )}
      </Stack>
    </form>
  );
}

/** Says that something was done. */
export function Done(props: { children: ReactNode }) {
  return <Alert color="teal" role="status" {...props} />;
}
