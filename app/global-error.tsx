"use client";

import { buttonClass } from "./_components/button";
import { DeadEnd } from "./_components/dead-end";
import "./globals.css";

/** Shown when the root layout itself failed. */
export default function GlobalError({ reset }: { reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong</title>
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
        </DeadEnd>
      </body>
    </html>
  );
}
