/** The page of a mailed link that sets a new password. */
import { Alert, Anchor, Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "react-router";
import { BusyButton, field, Form, NewPassword, onSubmit } from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { Failure } from "../../components/states.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";

export default function ResetPassword() {
  const token = useLinkFragment().get("token") ?? "";
  const reset = useMutation({
    mutationFn: (body: Schemas["ResetPasswordRequest"]) =>
      unwrap(api.POST("/auth/password/reset", { body })),
  });
  return (
    <EntryCard title="Set a new password">
      {reset.isSuccess ? (
        <>
          <Alert color="teal" role="status">
            Your password is set. Every session has ended.
          </Alert>
          <Button component={Link} to="/sign-in" size="md">
            Sign in
          </Button>
        </>
      ) : (
        <Form
          onSubmit={onSubmit((form) =>
            reset.mutate({ token, new_password: field(form, "new_password") }),
          )}
        >
          <Stack>
            <NewPassword name="new_password" label="New password" />
            {reset.error && (
              <>
                <Failure error={reset.error} />
                <Anchor component={Link} to="/forgotten-password" size="sm" underline="always">
                  Have a new link sent
                </Anchor>
              </>
            )}
            <BusyButton type="submit" size="md" isBusy={reset.isPending}>
              Set password
            </BusyButton>
          </Stack>
        </Form>
      )}
    </EntryCard>
  );
}
