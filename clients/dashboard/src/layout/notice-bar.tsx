/** Over the bottom of the page: confirmations, for some seconds or until they are closed, and that there is no network. */
import { CloseButton } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { useCallback, useEffect, useState, type ReactNode } from "react";
import { NoticeContext } from "../data/notice.ts";
import classes from "./layout.module.css";

const SHOWN_MS = 10_000;

export function NoticeBar({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<{ text: string }>();
  const { online } = useNetwork();
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
        {/* The elements are always there, because screen readers announce only what appears in them. */}
        <div role="status" aria-label="Connection">
          {!online && (
            <p className={classes.notice}>You are offline. What you see may be out of date.</p>
          )}
        </div>
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
