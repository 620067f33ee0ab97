/** Pages that are loaded when they are first opened. */
import { type ComponentType, use } from "react";

export type PageModule<Props = object> = { default: ComponentType<Props> };

/** A page could not be loaded. */
export class PageLoadError extends Error {}

type LazyPage<Props> = {
  Page: ComponentType<Props>;
  /** Begins to load the page before it is rendered. Rejects as its render would fail. */
  begin: () => Promise<unknown>;
};

/** A component that loads the page before its first render. */
export function lazyPage<Props extends object = object>(
  load: () => Promise<PageModule<Props>>,
): LazyPage<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    try {
      return (loaded = (await load()).default);
    } catch (cause) {
      throw new PageLoadError("This page could not be loaded.", { cause });
    }
  };
  const begin = () => (loading ??= loadOnce());
  return {
    begin,
    Page: function LazyPage(props: Props) {
      // `use` would suspend also for a page that is there, and React shows a fallback for at least 300 ms.
      const Page = loaded ?? use(begin());
      return <Page {...props} />;
    },
  };
}
