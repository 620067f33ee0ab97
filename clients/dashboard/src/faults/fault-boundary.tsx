/** Keeps an error of one page from blanking the application: shows it with a way to try again. */
import { CircleAlert, CloudOff } from "lucide-react";
import { Component, type ReactNode, useEffect } from "react";
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

  override componentDidUpdate({ page }: Props): void {
    if (page !== this.props.page && this.state.error) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <PageFault error={error} />;
  }
}

/** The document anew: a newer release has other files, and browsers keep a file that could not be loaded as such. */
const reload = () => globalThis.location.reload();

function PageFault({ error }: { error: unknown }) {
  const isLoadError = error instanceof PageLoadError;
  useEffect(() => {
    if (!isLoadError) return undefined;
    globalThis.addEventListener("online", reload);
    return () => globalThis.removeEventListener("online", reload);
  }, [isLoadError]);
  return (
    <section role="alert">
      <Empty
        icon={isLoadError ? CloudOff : CircleAlert}
        title={isLoadError ? "This page could not be loaded" : "This page has failed"}
        isPage
        action={<EmptyAction onClick={reload}>Load it again</EmptyAction>}
      >
        {isLoadError
          ? "There is a newer release, or the server cannot be reached. Other pages go on."
          : "Something in this page does not work. Nothing was changed on the server by that."}
      </Empty>
    </section>
  );
}
