/** The generations that a search finds, and below everything what it has searched. */
import { Anchor, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Generation } from "../api/client.ts";
import { QueryResult } from "../components/query-result.tsx";
import { Searched } from "../components/searched.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { useGenerationPages, type useGenerations } from "../data/queries.ts";
import { queryKeys } from "../data/query-keys.ts";
import { useScope } from "../data/scope.ts";
import { Found, OPTION } from "./found-pages.tsx";

type FoundList = ReturnType<typeof useGenerations>;

export function FoundGenerations({ found }: { found: FoundList }) {
  return (
    <QueryResult query={found}>
      {({ pages }) => (
        <Found title="Generations">
          {pages
            .flatMap(({ data }) => data)
            .map((generation) => (
              <Result key={generation.id} generation={generation} />
            ))}
        </Found>
      )}
    </QueryResult>
  );
}

/** Whether generations of this mode have the text as their end user. */
export function useEndUser(text: string) {
  const { keyPrefix } = useScope();
  const read = useGenerationPages({ end_user: text });
  return useQuery({
    queryKey: queryKeys.endUser(keyPrefix, text),
    queryFn: async () => (await read({ limit: 1 })).data.length > 0,
    enabled: text.length <= DASHBOARD_LIMITS.endUser,
  });
}

export function FoundEndUser({ name }: { name: string }) {
  const { to } = useScope();
  const list = `generations?end_user=${encodeURIComponent(name)}`;
  return (
    <Found title="End users">
      {[
        <li key={name} role="presentation">
          <Anchor component={Link} to={to(list)} {...OPTION}>
            Generations of end user {name}
          </Anchor>
        </li>,
      ]}
    </Found>
  );
}

export function SearchedSoFar({ text, found }: { text: string; found: FoundList }) {
  const { to } = useScope();
  if (!found.data) return null;
  return (
    <div>
      <Searched pages={found.data.pages} text={text} />
      <ShowMore list={found} label="Search older">
        <Anchor
          component={Link}
          to={to(`generations?search=${encodeURIComponent(text)}`)}
          size="sm"
        >
          Open in the list
        </Anchor>
      </ShowMore>
    </div>
  );
}

function Result({ generation }: { generation: Generation }) {
  const { to } = useScope();
  const { id, mode, status, input } = generation;
  return (
    <li role="presentation">
      <Group justify="space-between" wrap="nowrap">
        <Anchor component={Link} to={to(`generations/${id}`, mode)} {...OPTION} lineClamp={1}>
          {input.prompt || id}
        </Anchor>
        <StatusBadge status={status} />
      </Group>
      <Text size="xs" c="dimmed" truncate>
        <span className="mono">{id}</span> · {mode}
      </Text>
    </li>
  );
}
