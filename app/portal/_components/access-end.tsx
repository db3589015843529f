import { LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { formatEndOn, formatTimeLeft } from "@/app/_components/times";
import type { WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { subscriberShopUrl } from "@/lib/runtime/renewal-link";

/** The end of access as `until 5 Dec`, or with days of grace `paid until 2 Dec and works until 5 Dec (days of grace)`. */
export function accessUntil(
  { paidUntil, expiresAt }: { paidUntil: Date | null; expiresAt: Date },
  clock: WallClock,
): string {
  const until = `until ${formatEndOn(clock, expiresAt)}`;
  return paidUntil === null
    ? until
    : `paid until ${formatEndOn(clock, paidUntil)} and works ${until} (days of grace)`;
}

/** The end of access, shown while reminders are mailed: the date, the consequence, and where to renew. */
export function AccessEnd({
  subscriptionId,
  expiresAt,
  paidUntil,
  daysLeft,
  noticeDays,
  usesEa,
  clock,
  now,
}: {
  subscriptionId: number;
  expiresAt: Date | null;
  /** End of the paid time, if days of grace follow it. */
  paidUntil: Date | null;
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
      title={
        paidUntil === null
          ? `Your access ends on ${formatEndOn(clock, expiresAt)}, in ${formatTimeLeft(expiresAt, now)}`
          : `Your access is ${accessUntil({ paidUntil, expiresAt }, clock)}`
      }
      actions={
        shopUrl && (
          <LinkButton href={shopUrl} size="small">
            Renew
          </LinkButton>
        )
      }
    >
      {paidUntil === null ? "Signals stop then." : `Signals stop in ${formatTimeLeft(expiresAt, now)}.`}
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
