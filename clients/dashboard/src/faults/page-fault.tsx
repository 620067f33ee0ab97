/** The message in place of a page that could not be loaded or has failed. */
import { Button, Center } from "@mantine/core";
import { CloudOff, CircleAlert } from "lucide-react";
import { useEffect } from "react";
import { Empty } from "../components/empty.tsx";
import { PageLoadError } from "./lazy-page.tsx";

type Props = { error: unknown; retry: () => void };

export function PageFault({ error, retry }: Props) {
  const isLoadError = error instanceof PageLoadError;
  useEffect(() => {
    if (!isLoadError) return undefined;
    globalThis.addEventListener("online", retry);
    return () => globalThis.removeEventListener("online", retry);
  }, [isLoadError, retry]);
  return (
    <Center mih={360} component="section" role="alert">
      <title>Not loaded · Media dashboard</title>
      <Empty
        icon={isLoadError ? CloudOff : CircleAlert}
        title={isLoadError ? "This page could not be loaded" : "This page has failed"}
        order={1}
        action={
          <Button variant="light" mt="xs" onClick={retry}>
            Try again
          </Button>
        }
      >
        {isLoadError
          ? "The server cannot be reached. Nothing that you entered is lost; other pages go on."
          : "Something in this page does not work. Nothing was changed on the server by that."}
      </Empty>
    </Center>
  );
}
