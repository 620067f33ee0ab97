/** Puts a text on the clipboard and says so, to the eye and to the screen reader. */
import { ActionIcon, Button, CopyButton, Tooltip } from "@mantine/core";
import { Check, Copy } from "lucide-react";

type Props = { value: string; label: string; withText?: boolean };

export function Copied({ value, label, withText = false }: Props) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => {
        const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
        const said = copied ? "Copied" : label;
        return withText ? (
          <Button variant="default" leftSection={icon} onClick={copy} aria-live="polite">
            {said}
          </Button>
        ) : (
          <Tooltip label={said}>
            <ActionIcon variant="default" onClick={copy} aria-label={said}>
              {icon}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}
