import { LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { formatDayOn, formatTimeLeft } from "@/app/_components/times";
import type { WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { subscriberShopUrl } from "@/lib/runtime/renewal-link";

/** The end of access, shown while reminders are mailed: the date, the consequence, and where to renew. */
export function AccessEnd({
  subscriptionId,
  expiresAt,
  daysLeft,
  noticeDays,
  usesEa,
  clock,
  now,
}: {
  subscriptionId: number;
  expiresAt: Date | null;
  daysLeft: number | null;
  /** The notice is shown from this many days before the end of access. */
  noticeDays: number;
  /** Whether a trading client is connected or the plan is for one. */
  usesEa: boolean;
  clock: WallClock;
  now: Date;
}) {
  if (expiresAt === null || daysLeft === null || daysLeft > noticeDays) return null;
  const shopUrl = subscriberShopUrl(subscriptionId);
  return (
    <Notice
      tone="warn"
      title={`Your access ends on ${formatDayOn(clock, expiresAt)}, in ${formatTimeLeft(expiresAt, now)}`}
      actions={
        shopUrl && (
          <LinkButton href={shopUrl} size="small">
            Renew
          </LinkButton>
        )
      }
    >
      Signals stop then.
      {usesEa && " For 72 more hours your EA can still report closed positions."} Your key stays the same when
      you renew.
    </Notice>
  );
}

/** The end of a demo key, with a link to the key. */
export function DemoAccessEnd({ expiresAt, now }: { expiresAt: Date | null; now: Date }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 text-sm text-muted">
      <p>
        <strong className="font-semibold text-ink">
          Demo account{expiresAt === null ? "" : `, ${formatTimeLeft(expiresAt, now)} left`}.
        </strong>{" "}
        Its EA and its positions are simulated. With the key you can make calls yourself.
      </p>
      <LinkButton href={paths.portalNewKey()} size="small">
        Show my key
      </LinkButton>
    </div>
  );
}
