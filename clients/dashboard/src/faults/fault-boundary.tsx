/** Keeps an error of one page from blanking the application: shows it with a way to try again. */
import { useWindowEvent } from "@mantine/hooks";
import { CircleAlert, CloudOff } from "lucide-react";
import { Component, type ReactNode } from "react";
import { Empty, EmptyAction } from "../components/states.tsx";
import { PageLoadError } from "./lazy-page.tsx";

type Props = {
  /** The path of the page; another page begins without the error. */
  page: string;
  children: ReactNode;
};
type State = { error: unknown };

export class FaultBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof PageLoadError) error.forget();
  }

  override componentDidUpdate({ page }: Props): void {
    if (page !== this.props.page && this.state.error) this.setState({ error: undefined });
  }

  readonly retry = (): void => void reloadOr(() => this.setState({ error: undefined }));

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? (
      this.props.children
    ) : (
      <PageFault error={error} retry={this.retry} />
    );
  }
}

/** Loads the document anew, because a newer release has other files; `orElse` while the server is away. */
async function reloadOr(orElse: () => void): Promise<void> {
  const answer = await fetch("/dashboard", { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok) globalThis.location.reload();
  else orElse();
}

function PageFault({ error, retry }: { error: unknown; retry: () => void }) {
  const isLoadError = error instanceof PageLoadError;
  useWindowEvent("online", () => isLoadError && retry());
  return (
    <section role="alert">
      <Empty
        icon={isLoadError ? CloudOff : CircleAlert}
        title={isLoadError ? "This page could not be loaded" : "This page has failed"}
        isPage
        action={<EmptyAction onClick={retry}>Load it again</EmptyAction>}
      >
        {isLoadError
          ? "There is a newer release, or the server cannot be reached. Other pages go on."
          : "Something in this page does not work. Nothing was changed on the server by that."}
      </Empty>
    </section>
  );
}
