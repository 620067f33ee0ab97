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
  Spoiler,
  Table,
  Text,
  type TextProps,
  Tooltip,
} from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { Link } from "react-router";
import { useMoney } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { dateTime, timeAgo, tokens } from "../data/value-format.ts";
import type { Delivery, Schemas } from "../api/client.ts";
import { Fragment, type ReactNode } from "react";
import { detailOf, isFailing } from "./delivery-words.ts";

type CopyTextProps = {
  value: string;
  label: string;
  /** With its label in the button, which takes the focus. */
  isMain?: boolean;
};

export function CopyText({ value, label, isMain = false }: CopyTextProps) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => {
        const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
        const caption = copied ? "Copied" : label;
        return isMain ? (
          <Button variant="default" leftSection={icon} onClick={copy} aria-live="polite" autoFocus>
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

type CopyableProps = { text: string; label?: string; testId?: string; isBlock?: boolean };

/** An id or a secret with the button that copies it. */
export function Copyable({ text, label = "Copy the id", testId, isBlock = false }: CopyableProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Code block={isBlock} data-testid={testId}>
        {text}
      </Code>
      <CopyText value={text} label={label} />
    </Group>
  );
}

/** Small print. */
export function Note(props: TextProps & { className?: string; children: ReactNode }) {
  return <Text size="xs" c="dimmed" component="div" {...props} />;
}

/** A link to another page within a text. */
type TextLinkProps = { to: string; className?: string; c?: "inherit"; children: ReactNode };

export function TextLink(props: TextLinkProps) {
  return <Anchor component={Link} underline="always" inherit {...props} />;
}

export function GenerationLink({ id }: { id: string }) {
  const { to } = useScope();
  return (
    <TextLink to={to(`generations/${id}`)} className="mono">
      {id}
    </TextLink>
  );
}

/** Tokens, and below them what they are in money. */
export function Amount({ amount, text = tokens(amount) }: { amount: number; text?: string }) {
  const inMoney = useMoney();
  return (
    <>
      {text}
      <Note>{inMoney(Math.abs(amount))}</Note>
    </>
  );
}

export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box bd="1px solid var(--line)" style={{ borderRadius: 8, overflow: "hidden" }}>
      <Group justify="space-between" px="sm" py={4}>
        <Note>{label}</Note>
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

/** About four lines. */
const FOLDED_PX = 88;

export function FoldedText({ text, ...rest }: TextProps & { text: string }) {
  return (
    <Spoiler maxHeight={FOLDED_PX} showLabel="Show all" hideLabel="Show less">
      <Text size="sm" style={{ whiteSpace: "pre-wrap" }} {...rest}>
        {text}
      </Text>
    </Spoiler>
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
  processing: "indigo",
  failed: "red",
  failing: "yellow",
  exhausted: "red",
  added: "teal",
  reserved: "indigo",
  restored: "teal",
  corrected: "yellow",
};

export function StatusBadge({ status }: { status: string }) {
  return <Badge color={STATUS_COLORS[status] ?? "gray"}>{status}</Badge>;
}

export function Creator({ creator }: { creator: Schemas["Creator"] }) {
  return <Note>by {creatorName(creator)}</Note>;
}

export function creatorName({ type, name }: Schemas["Creator"]): string {
  if (type === "operator") return "an operator of the service";
  return name ?? "a former user";
}

/** A code, an event type, the id of a model, an e-mail address or a URL: a line ends between its words, not in one or in a number. */
export function Words({ text }: { text: string }) {
  return text.split(/(?<=[_@-]|[^:/]\/)|(?<=\.)(?!\d)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

export function DeliveryState({ delivery }: { delivery: Delivery }) {
  const more = detailOf(delivery, Date.now());
  return (
    <Group gap={6}>
      <StatusBadge status={isFailing(delivery) ? "failing" : delivery.status} />
      {more && <Note>{more}</Note>}
    </Group>
  );
}

type Detail = { name: string; value: ReactNode };

/** On phones a value has the whole width, below its name. */
const CELL = { base: "block", xs: "table-cell" };

export function DetailList({ details }: { details: (Detail | false)[] }) {
  return (
    <Table variant="vertical" layout="fixed">
      <Table.Tbody>
        {details
          .filter((detail) => detail !== false)
          .map(({ name, value }) => (
            <Table.Tr key={name}>
              <Table.Th display={CELL} w={170} pb={{ base: 0, xs: "xs" }} bg="transparent">
                {name}
              </Table.Th>
              <Table.Td display={CELL} style={{ whiteSpace: "pre-wrap" }}>
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
