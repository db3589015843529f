import { Badge } from "@/app/_components/badge";
import { Button } from "@/app/_components/button";
import type { Theme } from "@/app/_components/theme";
import { ThemeSwitch } from "@/app/_components/theme-switch";
import { planTitle } from "@/lib/access/plans";
import type { Subscriber } from "@/lib/auth/find-subscriber";
import { paths } from "@/lib/paths";
import { planNames } from "@/lib/runtime/plan-features";
import { LiveIndicator } from "./live";

interface AccountProps {
  subscriber: Subscriber;
  /** Whether the person has other subscriptions. */
  hasOthers: boolean;
  theme: Theme;
}

/** The signed-in subscriber, the sign-out button and the theme switch. */
export function PortalAccountMenu({ subscriber, hasOthers, theme }: AccountProps) {
  return (
    <div className="space-y-3">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p dir="auto" className="truncate text-left text-sm font-medium">
            {subscriber.preferences.displayName ?? subscriber.userName}
          </p>
          <p className="truncate text-xs text-faint">{subscriber.email ?? `Key ${subscriber.hint}`}</p>
        </div>
        <Badge tone="accent">{planNames(subscriber).map(planTitle).join(" + ")}</Badge>
      </div>
      <div className="flex items-center justify-between">
        <LiveIndicator />
        <ThemeSwitch theme={theme} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        {subscriber.viewedUntil === null && (
          <form method="post" action={paths.signOut()}>
            <Button type="submit" size="small">
              Sign out
            </Button>
          </form>
        )}
        {hasOthers && (
          <a
            href={paths.chooseSubscription()}
            className="inline-flex h-8 items-center text-xs text-muted hover:text-ink"
          >
            Other subscriptions
          </a>
        )}
      </div>
    </div>
  );
}
