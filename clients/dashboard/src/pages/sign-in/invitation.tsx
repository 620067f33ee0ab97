/** What an invitation is for, and joining by it: at once for who is signed in, else after signing up or in. */
import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "react-router";
import { answered, api } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { DoorCard } from "../../layout/door-card.tsx";
import { Failure } from "../../components/failure.tsx";
import { Shown } from "../../components/value-format.tsx";
import { useSession } from "../../session/session.ts";
import { SignUpForm } from "./sign-up-form.tsx";

export default function Invitation() {
  const { token = "" } = useParams();
  const session = useSession();
  const user = session.data?.user;
  const params = { path: { token } };
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => answered(api.GET("/invitations/{token}", { params })),
  });
  return (
    <DoorCard title="You are invited">
      <Shown query={invitation}>
        {({ account_name: account, email, role }) => (
          <>
            <Text size="sm">
              Join <b>{account}</b> as {role === "owner" ? "an owner" : "a member"}. The invitation
              is for {email}.
            </Text>
            {user ? (
              <Join token={token} email={user.email} />
            ) : (
              <>
                <SignUpForm invitation={{ token, email }} />
                <Text size="sm" ta="center" c="dimmed">
                  Signed up already?{" "}
                  <Anchor
                    component={Link}
                    to={`/sign-in?to=${encodeURIComponent(`/invitations/${token}`)}`}
                    underline="always"
                  >
                    Sign in and join
                  </Anchor>
                </Text>
              </>
            )}
          </>
        )}
      </Shown>
    </DoorCard>
  );
}

function Join({ token, email }: { token: string; email: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { token } };
  const join = useMutation({
    mutationFn: () => answered(api.POST("/invitations/{token}/accept", { params })),
    onSuccess: async ({ id, production_granted: isLive }) => {
      await client.invalidateQueries({ queryKey: SESSION });
      await navigate(`/${id}/${isLive ? "live" : "test"}/overview`);
    },
  });
  return (
    <Stack>
      {join.error && <Failure error={join.error} />}
      <Button size="md" loading={join.isPending} onClick={() => join.mutate()}>
        Join as {email}
      </Button>
    </Stack>
  );
}
