/** The dialog that sets how many Tokens a live key may use. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, unwrap, type ApiKey } from "../../api/client.ts";
import { Dialog } from "../../components/dialog.tsx";
import { LimitsForm } from "../../components/limits-form.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { limitsQuery } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";

export function KeyLimits({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const query = useQuery(limitsQuery(account.id));
  const path = { ...params.path, key_id: apiKey.id };
  return (
    <Dialog isOpen onClose={onClose} title={`Limits of ${apiKey.name}`}>
      <Text size="sm" mb="md">
        A request with this key that would exceed a limit is refused. The account's limits apply
        too.
      </Text>
      <QueryResult query={query}>
        {({ limits }) => (
          <LimitsForm
            limits={limits.filter(({ key_id: keyId }) => keyId === apiKey.id)}
            onSaved={onClose}
            save={(body) =>
              unwrap(
                api.PUT("/accounts/{account_id}/keys/{key_id}/limits", { params: { path }, body }),
              )
            }
          />
        )}
      </QueryResult>
    </Dialog>
  );
}
