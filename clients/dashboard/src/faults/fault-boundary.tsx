/** Keeps an error of one page from blanking the application: shows it with a way to try again. */
import { Component, type ReactNode, useEffect } from "react";
import { PageLoadError } from "./lazy-page.tsx";
import { CircleAlert, CloudOff } from "lucide-react";
import { Empty, EmptyAction } from "../components/states.tsx";

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
    if (page !== this.props.page) this.retry();
  }

  readonly retry = (): void => {
    if (this.state.error !== undefined) this.setState({ error: undefined });
  };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <PageFault error={error} retry={this.retry} />;
  }
}

type PageFaultProps = { error: unknown; retry: () => void };

function PageFault({ error, retry }: PageFaultProps) {
  const isLoadError = error instanceof PageLoadError;
  useEffect(() => {
    if (!isLoadError) return undefined;
    globalThis.addEventListener("online", retry);
    return () => globalThis.removeEventListener("online", retry);
  }, [isLoadError, retry]);
  return (
    <section role="alert">
      <Empty
        icon={isLoadError ? CloudOff : CircleAlert}
        title={isLoadError ? "This page could not be loaded" : "This page has failed"}
        isPage
        action={<EmptyAction onClick={retry}>Try again</EmptyAction>}
      >
        {isLoadError
          ? "The server cannot be reached. Nothing that you entered is lost; other pages go on."
          : "Something in this page does not work. Nothing was changed on the server by that."}
      </Empty>
    </section>
  );
}
