import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { FactList } from "@/app/_components/fact-list";
import { formatMoney } from "@/app/_components/money";
import { PageHeader } from "@/app/_components/page-header";
import { Timestamp } from "@/app/_components/timestamp";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { deliveryOutcomeLabel, PLATFORM_LABELS } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
import { findPaymentDelivery } from "@/db/queries/payment-deliveries";
import { parseIdOrNull } from "@/lib/admin/form-fields";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { findDeliverySubscriber } from "@/lib/payments/inbox";
import { findRestorableAccess } from "@/lib/payments/restore-access";
import { findWinnableChargeback } from "@/lib/payments/win-chargeback";
import { RestoreAccessCard } from "./give-back/restore-access-card";
import { ReapplyButton } from "./reapply/reapply-button";
import { PayloadCard } from "./reveal/payload-card";
import { FlagsNotice } from "./review/flags-notice";
import { ChargebackWonCard } from "./won/chargeback-won-card";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Delivery ${(await params).id} · Payments` };
}

/** A delivery of a payment platform: its content, its effect, and the possible actions. */
export default async function Delivery({ params }: { params: Promise<{ id: string }> }) {
  const id = parseIdOrNull((await params).id);
  if (id === null) return <MissingPage />;
  const session = await requireAdminSession(adminPaths.delivery(id));
  const delivery = await findPaymentDelivery(db(), id);
  if (!delivery) return <MissingPage />;
  const [flash, giveBack, winnable] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    findRestorableAccess(db(), delivery),
    findWinnableChargeback(db(), delivery),
  ]);
  const buyer = delivery.flags.length > 0 ? await findDeliverySubscriber(db(), id) : null;
  const subscriber = delivery.subscriptionId === null ? buyer : delivery;
  // After the deletion of the payer's account, another subscriber can have the same address.
  const concerned = delivery.erasedAt === null ? subscriber : (buyer ?? subscriber);
  const payload = flash?.kind === "payload" && flash.deliveryId === id ? flash.text : null;

  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.payments(), label: "Payments" }}
        title={`Delivery ${id}`}
        lead={`${deliveryOutcomeLabel(delivery)}.`}
        actions={<ReapplyButton id={id} />}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        {delivery.flags.length > 0 && (
          <FlagsNotice delivery={delivery} subscriptionId={concerned?.subscriptionId ?? null} />
        )}
        {giveBack && <RestoreAccessCard id={id} found={giveBack} />}
        {winnable && <ChargebackWonCard id={id} found={winnable} />}
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card title="Delivery">
            <FactList
              facts={[
                { name: "Platform", value: PLATFORM_LABELS[delivery.adapter] },
                { name: "Event", value: delivery.event ?? "–" },
                { name: "Received", value: <Timestamp at={delivery.receivedAt} /> },
                { name: "Times received", value: String(delivery.nReceived) },
                { name: "Last received", value: <Timestamp at={delivery.lastReceivedAt} /> },
                { name: "Applied again", value: <Timestamp at={delivery.reappliedAt} /> },
                {
                  name: "Buyer",
                  value: delivery.emailHash ? (
                    <>
                      <span className="font-mono">{`email#${delivery.emailHash}`}</span>
                      {buyer && buyer.subscriptionId !== delivery.subscriptionId && (
                        <>
                          {", "}
                          <a href={adminPaths.subscriber(buyer.subscriptionId)} className="link">
                            {buyer.userName}
                          </a>
                        </>
                      )}
                    </>
                  ) : (
                    "–"
                  ),
                },
              ]}
            />
          </Card>
          <Card title="Invoice">
            <FactList
              facts={[
                {
                  name: "Id",
                  value: <span className="font-mono break-all">{delivery.invoiceId ?? "–"}</span>,
                },
                { name: "State", value: delivery.invoiceState ?? "none" },
                { name: "Plan", value: delivery.planTier ?? "–" },
                { name: "Product", value: delivery.productId ?? "–" },
                {
                  name: "Amount",
                  value:
                    delivery.amount === null
                      ? "–"
                      : `${formatMoney(delivery.amount, delivery.currency)}${delivery.currency === null ? ", no currency named" : ""}`,
                },
                { name: "Paid", value: <Timestamp at={delivery.paidAt} /> },
                { name: "Ended", value: <Timestamp at={delivery.endedAt} /> },
                {
                  name: "Subscriber",
                  value: !subscriber?.subscriptionId ? (
                    "–"
                  ) : (
                    <a href={adminPaths.subscriber(subscriber.subscriptionId)} className="link">
                      {subscriber.userName ?? `Subscriber ${subscriber.subscriptionId}`}
                    </a>
                  ),
                },
              ]}
            />
          </Card>
        </div>
        <CodeBlock name="Our response" code={JSON.stringify(delivery.answer, null, 2)} />
        {delivery.effect !== "access_revoked" && delivery.action === "access_revoked" && (
          <p className="text-sm text-muted">
            Every refund, cancellation and chargeback is answered with <code>access_revoked</code>. How many
            keys it ended is in <code>keys_revoked</code>.
          </p>
        )}
        <PayloadCard id={id} payload={payload} />
      </div>
    </>
  );
}
