/** A button that, while its action goes on and where it is disabled, does nothing but keeps the focus: a disabled one loses it. */
import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentPropsWithoutRef, MouseEvent } from "react";

type Props = ButtonProps &
  Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> & {
    isBusy: boolean;
    /** How far it is, in place of the loader. */
    progress?: string | undefined;
  };

export function BusyButton({ isBusy, progress, disabled = false, onClick, ...rest }: Props) {
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
