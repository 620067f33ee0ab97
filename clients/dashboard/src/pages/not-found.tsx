/** An address without a page. */
import { Button, Center } from "@mantine/core";
import { Compass } from "lucide-react";
import { Link } from "react-router";
import { Empty } from "../components/empty.tsx";

export default function NotFound() {
  return (
    <Center mih={360} component="section">
      <title>Not found · Media dashboard</title>
      <Empty
        icon={Compass}
        title="There is no such page"
        order={1}
        action={
          <Button component={Link} to="/" variant="light" mt="xs">
            To your account
          </Button>
        }
      >
        The address is wrong, or it belongs to an account that is not yours.
      </Empty>
    </Center>
  );
}
