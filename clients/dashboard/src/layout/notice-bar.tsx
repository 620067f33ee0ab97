/** Shows confirmations over the bottom of the page for some seconds, or until they are closed. */
import { CloseButton } from "@mantine/core";
import { useCallback, useEffect, useState, type ReactNode } from "react";
import { NoticeContext } from "../data/notice.ts";
import classes from "./layout.module.css";

const SHOWN_MS = 10_000;

export function NoticeBar({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<{ text: string }>();
  const say = useCallback((text: string) => setNotice({ text }), []);
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => setNotice(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <NoticeContext value={say}>
      {children}
      <div className={classes.noticePlace}>
        {/* The element is always there, because screen readers announce only what appears in it. */}
        <div role="status" aria-label="Confirmation">
          {notice && (
            <p className={classes.notice}>
              {notice.text}
              <CloseButton
                size="sm"
                variant="transparent"
                c="inherit"
                aria-label="Close the confirmation"
                onClick={() => setNotice(undefined)}
              />
            </p>
          )}
        </div>
      </div>
    </NoticeContext>
  );
}
