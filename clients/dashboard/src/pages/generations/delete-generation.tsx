/** The button that deletes an ended generation, and the dialog that asks before. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useNavigate } from "react-router";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useListQuery } from "../../data/list-query.ts";
import { useNotice } from "../../data/notice.ts";
import { useScope } from "../../data/scope.ts";
import { useDeleteOne, useForget } from "./use-bulk.ts";

export function DeleteGeneration({ id, kind }: { id: string; kind: "video" | "image" }) {
  const { to } = useScope();
  const [isConfirming, confirming] = useDisclosure(false);
  const navigate = useNavigate();
  const listQuery = useListQuery();
  const say = useNotice();
  const deleteOne = useDeleteOne();
  const forget = useForget();
  const remove = useMutation({
    mutationFn: () => deleteOne(id),
    onSuccess: async () => {
      await navigate(`${to("generations")}${listQuery}`, { replace: true });
      say("1 generation deleted");
      await forget([id]);
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
