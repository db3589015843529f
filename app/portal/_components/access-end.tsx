import { LinkButton } from "@/app/_components/button";
import { counted } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { formatDayOn } from "@/app/_components/times";
import type { Clock } from "@/lib/market/clock";
import { subscriberShop } from "@/lib/runtime/renewal-link";

/** In the last days of access, those in which it is mailed about: when it ends, what happens then, and where to renew. */
export function AccessEnd({
  subscriptionId,
  expiresAt,
  daysLeft,
  noticeDays,
  clock,
}: {
  subscriptionId: number;
  expiresAt: Date | null;
  daysLeft: number | null;
  /** How many days before the end it is said first. */
  noticeDays: number;
  clock: Clock;
}) {
  if (expiresAt === null || daysLeft === null || daysLeft > noticeDays) return null;
  const shopUrl = subscriberShop(subscriptionId);
  return (
    <Notice
      tone="warn"
      title={`Your access ends on ${formatDayOn(clock, expiresAt)}${daysLeft > 0 ? `, in ${counted(daysLeft, "day")}` : ""}`}
      actions={
        shopUrl && (
          <LinkButton href={shopUrl} size="small">
            Renew
          </LinkButton>
        )
      }
    >
      Signals stop then; for 72 hours more your EA can still report that positions were closed. A renewal
      moves the end, and your key stays the same.
    </Notice>
  );
}
