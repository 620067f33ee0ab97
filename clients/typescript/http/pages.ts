/** Paginated lists, read item by item or page by page; each page is fetched when it is reached. */
import type { ApiPromise, Result } from "./api-promise.ts";

export type Page<T> = { data: T[]; has_more: boolean };

/** `for await (const item of listing)` reads every item, `listing.pages()` every page, newest first. */
export type Listing<T> = AsyncIterable<T> & {
  pages: () => AsyncIterable<Result<Page<T>>>;
};

/** `fetchPage` resolves with the page after the item whose id is `after`. */
export function listing<T extends { id: string }>(
  fetchPage: (after: string | undefined) => ApiPromise<Page<T>>,
): Listing<T> {
  async function* pages(): AsyncGenerator<Result<Page<T>>> {
    let after: string | undefined;
    let page: Result<Page<T>>;
    do {
      page = await fetchPage(after);
      yield page;
      after = page.data.at(-1)?.id;
    } while (page.has_more && after !== undefined);
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}

/** The query of the page after the item whose id is `after`. */
export function pageQuery<T extends object>(
  filter: T | undefined,
  after: string | undefined,
): T & { after?: string } {
  return { ...filter, ...(after === undefined ? {} : { after }) } as T & { after?: string };
}
