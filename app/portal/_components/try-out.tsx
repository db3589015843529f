import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { countWithNoun } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { formatEndOn, formatTimeLeft } from "@/app/_components/times";
import type { Subscriber } from "@/lib/auth/find-subscriber";
import { clockOf } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { subscriberShopUrl } from "@/lib/runtime/renewal-link";
import { listSlotViews } from "@/lib/signals/list-slot-views";
import { readLastSeenAt } from "@/lib/subscribers/account";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { EaAdvice } from "./ea-advice";
import { StrongestSignals } from "./strongest-signals";

/** Delay and end of a try-out, with the link to buy the plan. */
export function TryOutNotice({ subscriber, now }: { subscriber: Subscriber; now: Date }) {
  const { delayCandles, expiresAt, subscriptionId } = subscriber;
  if (delayCandles === null) return null;
  const shopUrl = subscriberShopUrl(subscriptionId);
  return (
    <Notice
      tone="warn"
      title={`Try-out: signals arrive ${countWithNoun(delayCandles, "candle")} late`}
      actions={
        shopUrl && (
          <LinkButton href={shopUrl} size="small">
            Buy the plan
          </LinkButton>
        )
      }
    >
      {expiresAt !== null &&
        `It ends on ${formatEndOn(clockOf(subscriber.preferences), expiresAt)}, in ${formatTimeLeft(expiresAt, now)}. `}
      After you buy with this address, the same key gets signals at once.{" "}
      <a href={paths.docs("try-out")} className="link">
        What a try-out includes
      </a>
    </Notice>
  );
}

/** Overview for a try-out key, without results of positions: they would reveal signals before the delay has passed. */
export async function TryOutOverview({ subscriber, now }: { subscriber: Subscriber; now: Date }) {
  const { scope, versions, subscriptionId, preferences } = subscriber;
  const [views, seenAt] = await Promise.all([
    listSlotViews(scope, versions.signals, now),
    readLastSeenAt(subscriptionId),
  ]);
  return (
    <>
      <PageHeader title="Overview" />
      <div className="space-y-6">
        <TryOutNotice subscriber={subscriber} now={now} />
        <EaAdvice status={eaStateAt(seenAt, now).status} seenAt={seenAt} clock={clockOf(preferences)} />
        <Card title="Signals" lead="The newest delayed signal of each slot." flush>
          <StrongestSignals slots={views.slots} now={now} />
        </Card>
      </div>
    </>
  );
}
