/** The button that deletes an ended generation, and the dialog that asks before. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useNavigate } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useListQuery } from "../../data/list-query.ts";
import { useScope } from "../../data/scope.ts";

export function DeleteGeneration({ id, kind }: { id: string; kind: "video" | "image" }) {
  const { keyPrefix, params, to } = useScope();
  const [isConfirming, confirming] = useDisclosure(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const listQuery = useListQuery();
  const path = { ...params.path, id };
  const remove = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/accounts/{account_id}/generations/{id}", { params: { ...params, path } }),
      ),
    onSuccess: async () => {
      await navigate(`${to("generations")}${listQuery}`, { replace: true });
      client.removeQueries({ queryKey: queryKeys.generation(keyPrefix, id) });
      await Promise.all(
        [
          queryKeys.generations(keyPrefix),
          queryKeys.searches(keyPrefix),
          queryKeys.totals(keyPrefix),
          queryKeys.deliveries(keyPrefix),
        ].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<Trash2 size={15} aria-hidden />}
        onClick={confirming.open}
      >
        Delete
      </Button>
      {isConfirming && (
        <ConfirmDialog
          isOpen
          title={`Delete this ${kind}?`}
          action="Delete"
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={confirming.close}
        >
          Its files, its input and its webhooks are deleted within a minute, and its URLs stop
          working. Its id and its transactions stay. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
