/** What can be done with the chosen deliveries: send all of them again. */
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useRef, useState } from "react";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { messageOf } from "../../api/refusal.ts";
import { SelectedBar } from "../../components/selected-bar.tsx";
import { tokens } from "../../components/value-format.ts";
import { useNotice } from "../../data/notice.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { refetch } from "../../data/refetch.ts";
import { useScope } from "../../data/scope.ts";
import { someAtATime } from "../../data/some-at-a-time.ts";
import type { Selection } from "../../data/use-selection.ts";

type Delivery = Schemas["WebhookDelivery"];

/** Those that could not be sent again stay chosen. */
export function SendAgain({ selection }: { selection: Selection<Delivery> }) {
  const { selected, remove, setAll } = selection;
  const [handled, setHandled] = useState(0);
  const isStopped = useRef(false);
  const { keyPrefix, params } = useScope();
  const client = useQueryClient();
  const say = useNotice();
  const send = useMutation({
    mutationFn: (deliveries: readonly Delivery[]) => {
      setHandled(0);
      isStopped.current = false;
      return someAtATime(
        deliveries,
        ({ id }) =>
          unwrap(
            api.POST("/accounts/{account_id}/webhooks/deliveries/{id}/redeliver", {
              params: { ...params, path: { ...params.path, id } },
            }),
          ),
        { onHandled: setHandled, isStopped: () => isStopped.current },
      );
    },
    onSuccess: async ({ done }) => {
      if (done.length > 0) say(`${tokens(done.length)} sent again`);
      remove(done.map(({ id }) => id));
      await refetch(client, queryKeys.deliveries(keyPrefix));
    },
  });
  const failures = send.data?.failures ?? [];
  const reasons = new Set(failures.map(({ error }) => messageOf(error)));
  return (
    <SelectedBar
      status={`${tokens(selected.length)} selected`}
      fault={
        failures.length > 0
          ? `${tokens(failures.length)} not sent again: ${[...reasons].join(" ")}`
          : undefined
      }
      onClear={() => setAll(false)}
    >
      <Button
        size="xs"
        leftSection={<RotateCw size={15} aria-hidden />}
        onClick={() => {
          if (send.isPending) isStopped.current = true;
          else send.mutate(selected);
        }}
      >
        {send.isPending
          ? `Stop: ${tokens(handled)} of ${tokens(send.variables.length)}`
          : "Send again"}
      </Button>
    </SelectedBar>
  );
}
