/** The page for a URL that matches no page, or an account the user does not belong to. */
import { Button, Center } from "@mantine/core";
import { Compass } from "lucide-react";
import { Link } from "react-router";
import { Empty } from "../components/states.tsx";

export default function NotFound() {
  return (
    <Center mih={360} component="section">
      <title>Not found · Media dashboard</title>
      <Empty
        icon={Compass}
        title="Page not found"
        order={1}
        action={
          <Button component={Link} to="/" variant="light" mt="xs">
            Go to your account
          </Button>
        }
      >
        The address is wrong, or it belongs to an account that you are not a member of.
      </Empty>
    </Center>
  );
}
