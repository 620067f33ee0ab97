/** Limits of live Tokens of the account and of each end user, and when and where it is told about them and its balance. */
import { Card, Divider, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { LimitsForm } from "../../components/limits-form.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { limitsQuery } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { AlertsForm } from "./alerts-form.tsx";

export function LimitsCard() {
  const { account, params, may } = useScope();
  const { path } = params;
  const query = useQuery(limitsQuery(account.id));
  return (
    <Card component="section" aria-labelledby="limits">
      <Title order={2} id="limits" fz={16}>
        Limits and alerts of live mode
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Days and months are UTC. A request beyond a limit is refused. API keys can have limits of
        their own.
      </Text>
      <QueryResult query={query} loading={<Skeleton height={606} radius="md" />}>
        {({ limits, alerts }) => (
          <>
            <LimitsForm
              limits={limits.filter(({ scope }) => scope === "account")}
              isDisabled={!may("setLimits")}
              save={(body) =>
                unwrap(api.PUT("/accounts/{account_id}/limits", { params: { path }, body }))
              }
            />
            <Divider my="md" />
            <Text size="sm" c="dimmed" mb="sm">
              What each of your users may use, by the end_user of a request
            </Text>
            <LimitsForm
              isPerEndUser
              limits={limits.filter(({ scope }) => scope === "end_user")}
              isDisabled={!may("setEndUserLimits")}
              save={(body) =>
                unwrap(
                  api.PUT("/accounts/{account_id}/limits/end-users", { params: { path }, body }),
                )
              }
            />
            <Divider my="md" />
            <AlertsForm alerts={alerts} />
          </>
        )}
      </QueryResult>
    </Card>
  );
}
