/** Keeps an error of one page from blanking the application: shows it with a way to try again. */
import { Component, type ReactNode } from "react";
import { PageFault } from "./page-fault.tsx";
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
