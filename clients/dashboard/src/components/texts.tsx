/** How texts, times, states and properties are shown. */
import {
  ActionIcon,
  Anchor,
  Badge,
  Box,
  Button,
  Code,
  CopyButton,
  Group,
  Text,
  type TextProps,
  Tooltip,
} from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { useDisclosure } from "@mantine/hooks";
import { dateTime, timeAgo } from "./value-format.ts";
import type { Schemas } from "../api/client.ts";
import { Fragment, type ReactNode } from "react";
import { type DeliveryFacts, detailOf, isFailing } from "./delivery-words.ts";
import classes from "./detail-list.module.css";

type CopyTextProps = {
  value: string;
  label: string;
  withText?: boolean;
  /** For what takes the place of something that had the focus. */
  autoFocus?: boolean;
};

export function CopyText({ value, label, withText = false, autoFocus = false }: CopyTextProps) {
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

type CodeBlockProps = { code: string; label: string };

export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <Box bd="1px solid var(--line)" style={{ borderRadius: 8, overflow: "hidden" }}>
      <Group
        justify="space-between"
        px="sm"
        py={4}
        style={{ borderBottom: "1px solid var(--line)" }}
      >
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyText value={code} label="Copy" />
      </Group>
      <Code
        block
        fz={12.5}
        p="md"
        mah={420}
        tabIndex={0}
        role="region"
        aria-label={label}
        style={{ borderRadius: 0 }}
      >
        {code}
      </Code>
    </Box>
  );
}

const FOLDED_LINES = 4;
/** Shorter texts fit these lines at any width that the dashboard shows them in. */
const FOLDED_LENGTH = 280;

type FoldedTextProps = TextProps & { text: string };

export function FoldedText({ text, ...rest }: FoldedTextProps) {
  const [isOpen, shown] = useDisclosure(false);
  const isLong = text.length > FOLDED_LENGTH || text.split("\n").length > FOLDED_LINES;
  const lines = isLong && !isOpen ? { lineClamp: FOLDED_LINES } : {};
  return (
    <div>
      <Text {...rest} {...lines} style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {text}
      </Text>
      {isLong && (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={shown.toggle}>
          {isOpen ? "Show less" : `Show all ${text.length.toLocaleString("en-US")} characters`}
        </Anchor>
      )}
    </div>
  );
}

export function RelativeTime({ time }: { time: string }) {
  return (
    <Tooltip label={dateTime(time)}>
      <time dateTime={time} style={{ whiteSpace: "nowrap" }}>
        {timeAgo(time, Date.now())}
      </time>
    </Tooltip>
  );
}

const STATUS_COLORS: Record<string, string> = {
  success: "teal",
  delivered: "teal",
  pending: "gray",
  processing: "iris",
  failed: "red",
  failing: "amber",
  exhausted: "red",
  canceled: "gray",
};

export function StatusBadge({ status }: { status: string }) {
  return <Badge color={STATUS_COLORS[status] ?? "gray"}>{status}</Badge>;
}

type Props = { creator: Schemas["Creator"] };

export function Creator({ creator }: Props) {
  return (
    <Text size="xs" c="dimmed">
      by {creatorName(creator)}
    </Text>
  );
}

export function creatorName({ type, name }: Schemas["Creator"]): string {
  if (type === "operator") return "an operator of the service";
  return name ?? "a former user";
}

export function EventType({ type }: { type: string }) {
  return type.split(".").map((part, index) => (
    <Fragment key={part}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {part}
    </Fragment>
  ));
}

export function DeliveryState({ delivery }: { delivery: DeliveryFacts }) {
  const more = detailOf(delivery, Date.now());
  return (
    <Group gap={6} component="span">
      <StatusBadge status={isFailing(delivery) ? "failing" : delivery.status} />
      {more && (
        <Text span size="xs" c="dimmed">
          {more}
        </Text>
      )}
    </Group>
  );
}

export type Detail = { name: string; value: ReactNode };

export function DetailList({ details }: { details: Detail[] }) {
  return (
    <dl className={classes.list}>
      {details.map(({ name, value }) => (
        <div key={name} className={classes.item}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className={classes.value}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
