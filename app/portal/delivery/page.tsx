import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { countWaiting, listEndpoints } from "@/db/queries/webhook-endpoints";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { WebhooksCard } from "./_components/webhooks-card";

export const metadata = { title: "Delivery" };

/** How signals come by themselves: to a chat and to the subscriber's own server. */
export default async function DeliveryPage() {
  const subscriber = await requireSubscriber();
  const { subscriptionId, planTier } = subscriber;
  const [flash, endpoints, waiting] = await Promise.all([
    consumeFlash(db(), subscriber.sessionId),
    listEndpoints(db(), subscriptionId),
    countWaiting(db(), subscriptionId),
  ]);
  return (
    <>
      <PageHeader
        title="Delivery"
        lead="How signals come to you by themselves, beside what your EA asks for."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <WebhooksCard
          planTier={planTier}
          endpoints={endpoints}
          waiting={waiting}
          form={formState(flash, "portal.webhook_create")}
        />
      </div>
    </>
  );
}
