/** A short confirmation of what the user has done, shown over any page and heard by screen readers. */
import { createContext, useContext } from "react";

/** NoticeBar provides it. */
export const NoticeContext = createContext<(text: string) => void>(() => {});

/** The function that shows a confirmation, which replaces an earlier one. */
export function useNotice(): (text: string) => void {
  return useContext(NoticeContext);
}
