/** The page that an id belongs to, by its prefix. */
const PAGES = {
  vgen: (id: string) => `generations/${id}`,
  igen: (id: string) => `generations/${id}`,
  file: (id: string) => `files/${id}`,
  req: (id: string) => `requests?id=${id}`,
  evt: (id: string) => `settings/webhooks/${id}`,
  whd: (id: string) => `settings/webhooks/${id}`,
  key: (id: string) => `generations?key=${id}`,
};

/** Undefined for what is no id, or one without a page. */
export function pageOfId(text: string): string | undefined {
  const [id, prefix] = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/.exec(text.trim()) ?? [];
  return id && PAGES[prefix as keyof typeof PAGES]?.(id);
}
