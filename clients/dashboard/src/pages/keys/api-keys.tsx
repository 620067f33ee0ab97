/** Settings, API keys: the list, and making, renaming and revoking keys. */
import { Button, Card, Switch } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { keys } from "../../data/keys.ts";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Shown } from "../../components/value-format.tsx";
import { usePlace } from "../../session/scope.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyTable } from "./key-table.tsx";

export default function ApiKeys() {
  const { account, params } = usePlace();
  const [isCreating, creating] = useDisclosure(false);
  const [isAllShown, shown] = useDisclosure(false);
  const list = useQuery({
    queryKey: keys.apiKeys(account.id),
    queryFn: () =>
      answered(api.GET("/accounts/{account_id}/keys", { params: { path: params.path } })),
    select: ({ data }) => data,
  });
  const create = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={creating.open}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHead title="API keys" actions={create}>
        Keys are for servers. A key is shown once, when it is made: we keep only its fingerprint.
      </PageHead>
      <Card padding="md">
        <Shown query={list}>
          {(all) => {
            const active = all.filter((key) => key.revoked_at === undefined);
            const visible = isAllShown ? all : active;
            return (
              <>
                {visible.length > 0 ? (
                  <KeyTable apiKeys={visible} />
                ) : (
                  <Empty icon={KeyRound} title="No API keys">
                    Make one to call the API from your server. Test keys work at once.
                  </Empty>
                )}
                {active.length < all.length && (
                  <Switch
                    mt="md"
                    label={`Show revoked keys (${all.length - active.length})`}
                    checked={isAllShown}
                    onChange={shown.toggle}
                  />
                )}
              </>
            );
          }}
        </Shown>
      </Card>
      <CreateKey isOpen={isCreating} onClose={creating.close} />
    </>
  );
}
