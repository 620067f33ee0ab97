/** Lists as their callers want them: item by item, or page by page, fetched as they are read. */

export type Page<T> = { data: T[]; has_more: boolean };

/** `for await (const item of listing)` reads every item, `listing.pages()` every page, newest first. */
export type Listing<T> = AsyncIterable<T> & { pages: () => AsyncIterable<Page<T>> };

/** `fetchPage` answers with what follows the item with the id `after`. */
export function listing<T extends { id: string }>(
  fetchPage: (after: string | undefined) => Promise<Page<T>>,
): Listing<T> {
  async function* pages(): AsyncGenerator<Page<T>> {
    let after: string | undefined;
    for (;;) {
      const page = await fetchPage(after);
      yield page;
      after = page.data.at(-1)?.id;
      if (!page.has_more || after === undefined) return;
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}
