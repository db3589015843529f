import { Eye } from "lucide-react";
import { Button } from "@/app/_components/button";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { Subscriber } from "@/lib/auth/find-subscriber";
import { clockOf } from "@/lib/market/clock";
import { adminPaths } from "@/lib/paths";

/** Above every page while an administrator views a portal: the subscriber, the end of the view, and the button to leave. */
export function AdminViewBanner({ subscriber, until }: { subscriber: Subscriber; until: Date }) {
  return (
    <section
      aria-label="View as subscriber"
      className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-warn/30 bg-warn-soft px-4 py-3 text-sm"
    >
      <p className="flex min-w-0 gap-3">
        <Eye aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
        <span>
          <strong>
            You are viewing the portal of <bdi>{subscriber.userName}</bdi>.
          </strong>{" "}
          Nothing can be changed here. The view ends at{" "}
          <PortalTime at={until} clock={clockOf(subscriber.preferences)} />, and the subscriber can see that
          you viewed it.
        </span>
      </p>
      <form method="post" action={adminPaths.subscriberForm(subscriber.subscriptionId, "end-view")}>
        <Button type="submit" size="small">
          End the view
        </Button>
      </form>
    </section>
  );
}
