"use client";

import { buttonClass } from "./_components/button";
import { DeadEnd } from "./_components/dead-end";

/** Shown for a page that failed to render. `digest` identifies the failure in the log; its message is not shown. */
export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <DeadEnd
      status="500"
      title="This page failed to load."
      actions={
        <>
          <button type="button" onClick={reset} className={buttonClass("primary")}>
            Try again
          </button>
          <a href="/status" className={buttonClass("secondary")}>
            Status
          </a>
        </>
      }
    >
      <p>
        The failure is on our side and has been recorded. The status page says whether signals are being
        delivered just now.
      </p>
      {error.digest && (
        <p className="mt-4 text-sm">
          If you write to us, add this: <code className="font-mono">{error.digest}</code>
        </p>
      )}
    </DeadEnd>
  );
}
