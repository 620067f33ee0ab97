/** The dialog in which a user leaves the account. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useScope } from "../../data/scope.ts";

export function LeaveAccount({ onClose }: { onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/accounts/{account_id}/membership", { params: { path: params.path } })),
    onSuccess: async () => {
      onClose();
      await navigate("/");
      await client.invalidateQueries({ queryKey: SESSION });
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Leave ${account.name}?`}
      action="Leave"
      isPending={leave.isPending}
      error={leave.error}
      onConfirm={() => leave.mutate()}
      onClose={onClose}
    >
      You lose access to this account at once, and the invitations that you made are withdrawn. Its
      API keys keep working: revoke those that should not.
    </ConfirmDialog>
  );
}
