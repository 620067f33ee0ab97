/** What a search has searched: how far it came with words, or what the id names that was looked up. */
import { Anchor, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { dateTime } from "./value-format.ts";

type Page = Schemas["GenerationList"];
type SearchedId = Schemas["SearchedId"];

type Props = {
  pages: readonly Page[];
  /** What was searched for; undefined: only filters were applied. */
  text: string | undefined;
  /** Whether filters leave out generations. */
  isFiltered?: boolean;
};

export function Searched({ pages, text, isFiltered = false }: Props) {
  const last = pages.at(-1);
  const id = last?.searched_id;
  return (
    <Text size="sm" c="dimmed" mt="md" ta="center" role="status">
      {id && text ? (
        <LookedUp id={id} text={text} found={last} />
      ) : (
        <Extent isWords={text !== undefined} last={last} isFiltered={isFiltered} />
      )}
    </Text>
  );
}

type ExtentProps = { isWords: boolean; last: Page | undefined; isFiltered: boolean };

function Extent({ isWords, last, isFiltered }: ExtentProps) {
  const { mode } = useScope();
  const generations = `${mode} generations of this account${isFiltered ? " that pass the filters" : ""}`;
  const backTo = last?.searched_back_to;
  return (
    <>
      {isWords ? "Searched ids, metadata and prompts of" : "Looked at"}{" "}
      {backTo ? `the ${generations}, back to ${dateTime(backTo)}` : `all ${generations}`}.
    </>
  );
}

type LookedUpProps = { id: SearchedId; text: string; found: Page };

/** The id may be of the other mode, and filters do not apply to it. */
function LookedUp({ id, text, found: { data } }: LookedUpProps) {
  const { mode } = useScope();
  if (!id.found) return <>{ABSENT[id.type]}</>;
  const [first] = data;
  const other = first && first.mode !== mode ? ` It belongs to ${first.mode} mode.` : "";
  switch (id.type) {
    case "generation":
      return <>This is the id of a generation.{other}</>;
    case "request":
      return (
        <FoundRequest id={id} text={text}>
          {first && <>It created the generation.{other}</>}
        </FoundRequest>
      );
    case "file":
      return (
        <>
          This is the id of a file of {id.mode} mode.{" "}
          {first ? "Shown are generations that use it, at most 100." : "No generation uses it."}
        </>
      );
    default:
      return <NamedPages id={id} />;
  }
}

const ABSENT: Record<SearchedId["type"], string> = {
  generation: "No generation has this id, in live or test mode. Deleted ones are not found.",
  request:
    "This request created no generation and is not among the requests that are kept, in live or test mode.",
  file: "No file has this id, in live or test mode. Deleted ones are not found.",
  delivery: "No webhook delivery has this id, in live or test mode. Deleted ones are not found.",
  key: "No API key has this id, in live or test mode.",
};

type FoundRequestProps = { id: SearchedId; text: string; children: ReactNode };

/** A request, with a link to it while it is kept. */
function FoundRequest({ id: { mode }, text, children }: FoundRequestProps) {
  const { to } = useScope();
  return (
    <>
      This is the id of a request. {children}{" "}
      {mode && (
        <Anchor component={Link} to={to(`requests?id=${text.trim()}`, mode)} size="sm">
          Request of {mode} mode
        </Anchor>
      )}
    </>
  );
}

/** Links to the pages of a delivery or a key. */
function NamedPages({ id: { type, mode, name, id = "" } }: { id: SearchedId }) {
  const { to } = useScope();
  return (
    <Group component="span" gap="xs" justify="center">
      {type === "delivery" ? (
        <Anchor component={Link} to={to(`settings/webhooks/${id}`, mode)} size="sm">
          Webhook delivery of {mode} mode
        </Anchor>
      ) : (
        <>
          <Anchor component={Link} to={to("settings/keys", mode)} size="sm">
            API key {name} of {mode} mode
          </Anchor>
          <Anchor component={Link} to={to(`generations?key=${id}`, mode)} size="sm">
            Its generations
          </Anchor>
        </>
      )}
    </Group>
  );
}
