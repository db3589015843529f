"use client";

import { buttonClass } from "./_components/button";
import { DeadEnd } from "./_components/dead-end";
import "./globals.css";

/** Shown when the root layout itself failed. */
export default function GlobalError({ reset }: { reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong | Signal Delivery Service</title>
        <DeadEnd
          status="500"
          title="This page could not be made."
          actions={
            <button type="button" onClick={reset} className={buttonClass("primary")}>
              Try again
            </button>
          }
        >
          <p>
            The failure is on our side and has been recorded. Signals and reports go on independently of this
            page.
          </p>
        </DeadEnd>
      </body>
    </html>
  );
}
