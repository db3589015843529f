"use client";

import { Button } from "@/app/_components/button";
import { ErrorState } from "@/app/_components/error-state";

/** Shown for a page of the portal that failed to render. */
export default function PortalError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <div className="rounded-lg border bg-raised">
      <ErrorState
        title="This page could not be made"
        requestId={error.digest}
        actions={<Button onClick={reset}>Try again</Button>}
      >
        Your EA is not affected by this. Try again; if it stays, tell us the id below.
      </ErrorState>
    </div>
  );
}
