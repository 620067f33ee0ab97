/** Settings, API keys: lists, creates, renames and revokes keys. */
import { Button, Card, Switch } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { KeyRound, Plus } from "lucide-react";
import { PageHead } from "../../components/page-head.tsx";
import { Empty, QueryResult } from "../../components/states.tsx";
import { useApiKeys } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyTable } from "./key-table.tsx";

export default function ApiKeys() {
  const { account, mode, may } = useScope();
  // Whether a key is created is in the URL, so that the search can lead to it.
  const [query, change] = useUrlQuery();
  const [isRevokedShown, showRevoked] = useDisclosure(false);
  const { keys, ...list } = useApiKeys();
  const isGranted = mode === "test" || account.production_granted;
  const mayCreate = isGranted && may("createApiKey");
  const create = mayCreate && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => change({ create: "1" })}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHead title="API keys" actions={create}>
        The keys of {mode} mode. Use them on servers only. A key is shown once, when it is created:
        we keep only its hash.
      </PageHead>
      <Card padding="md">
        <QueryResult query={{ ...list, data: keys }}>
          {(all) => {
            const active = all.filter((key) => key.revoked_at === undefined);
            return (
              <>
                <KeyTable
                  apiKeys={isRevokedShown ? all : active}
                  empty={
                    <Empty icon={KeyRound} title={`No API keys of ${mode} mode`}>
                      {isGranted
                        ? "Create one to call the API from your server."
                        : "They need production access. Until then create keys in test mode, which has the same rules and prices."}
                    </Empty>
                  }
                />
                {active.length < all.length && (
                  <Switch
                    mt="md"
                    label={`Show revoked keys (${all.length - active.length})`}
                    checked={isRevokedShown}
                    onChange={showRevoked.toggle}
                  />
                )}
              </>
            );
          }}
        </QueryResult>
      </Card>
      {mayCreate && query.has("create") && (
        <CreateKey onClose={() => change({ create: undefined })} />
      )}
    </>
  );
}
