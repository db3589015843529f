"use client";

import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { Button, LinkButton } from "@/app/_components/button";
import { ErrorState } from "@/app/_components/error-state";
import { paths } from "@/lib/paths";

/** Shown for a page of the portal that failed to render. It does not claim that signals are still delivered. */
export default function PortalError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  const router = useRouter();
  const tryAgain = () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
  return (
    <div className="rounded-lg border bg-raised">
      <h1 className="sr-only">This page failed to load</h1>
      <ErrorState
        title="This page failed to load"
        requestId={error.digest}
        actions={
          <>
            <Button variant="primary" onClick={tryAgain}>
              Try again
            </Button>
            <LinkButton href={paths.status()}>Status</LinkButton>
          </>
        }
      >
        The failure is on our side and has been recorded. The status page says whether signals are being
        delivered. If only this page fails, tell us the id below.
      </ErrorState>
    </div>
  );
}
