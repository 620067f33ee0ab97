/** A button that copies a text to the clipboard and announces it, also to screen readers. */
import { ActionIcon, Button, CopyButton, Tooltip } from "@mantine/core";
import { Check, Copy } from "lucide-react";

type Props = {
  value: string;
  label: string;
  withText?: boolean;
  /** For what takes the place of something that had the focus. */
  autoFocus?: boolean;
};

export function CopyText({ value, label, withText = false, autoFocus = false }: Props) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => {
        const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
        const caption = copied ? "Copied" : label;
        return withText ? (
          <Button
            variant="default"
            leftSection={icon}
            onClick={copy}
            aria-live="polite"
            autoFocus={autoFocus}
          >
            {caption}
          </Button>
        ) : (
          <Tooltip label={caption}>
            <ActionIcon variant="default" onClick={copy} aria-label={caption}>
              {icon}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}
