import { Download, ReceiptText } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { FactList } from "@/app/_components/fact-list";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { PaidTimeCard } from "@/app/_components/paid-time-card";
import { formatDayOn, formatEndOn, formatMonth } from "@/app/_components/times";
import { AccessEnd, accessUntil } from "@/app/portal/_components/access-end";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { db } from "@/db/client";
import { listGrantedCredits } from "@/db/queries/credits";
import { listPaidTimeHistory } from "@/db/queries/paid-time";
import { findOpenGrace, listInvoices } from "@/db/queries/payments";
import { accessOfPaidTime } from "@/lib/access/keys/paid-time-of-keys";
import { isDemoAccess } from "@/lib/auth/demo-access";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf } from "@/lib/market/clock";
import { readExpiryReminderDays } from "@/lib/outbound/mail/expiry-reminder-days";
import { paths } from "@/lib/paths";
import { includesTradingClient } from "@/lib/runtime/plan-features";
import { daysRemaining } from "@/lib/subscribers/account";
import { paymentColumns } from "./_components/payment-columns";

export const metadata = { title: "Payments" };

/** Every payment of the subscription with its effect. */
export default async function PaymentsPage() {
  const subscriber = await requireSubscriber({ tryOut: true });
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const [invoices, grace, credits, noticeDays, ledger] = await Promise.all([
    listInvoices(db(), subscriber.subscriptionId),
    findOpenGrace(db(), subscriber.subscriptionId),
    listGrantedCredits(db(), subscriber.subscriptionId),
    readExpiryReminderDays(db()),
    listPaidTimeHistory(db(), subscriber.subscriptionId),
  ]);
  const { expiresAt, keyId } = subscriber;
  const ofKey = ledger.filter((entry) => entry.keyId === keyId);
  const paidUntil = accessOfPaidTime(ofKey, now)?.paidUntil ?? null;

  return (
    <>
      <PageHeader
        title="Payments"
        lead={
          expiresAt
            ? `Access ${paidUntil ? "is " : ""}${accessUntil({ paidUntil, expiresAt }, clock)}.`
            : "Access has no end date."
        }
        actions={<ClockSwitch clock={clock} back={paths.portalPayments()} now={now} />}
      />
      <div className="space-y-6">
        {grace && expiresAt ? (
          <Notice tone="warn" title="The last payment did not go through">
            You keep access until {formatEndOn(clock, expiresAt)}. When a payment arrives, the same key goes
            on working.
          </Notice>
        ) : isDemoAccess(subscriber) ? null : (
          <AccessEnd
            subscriptionId={subscriber.subscriptionId}
            expiresAt={expiresAt}
            paidUntil={paidUntil}
            daysLeft={daysRemaining(expiresAt, now)}
            noticeDays={Math.max(...noticeDays)}
            usesEa={includesTradingClient(subscriber)}
            clock={clock}
            now={now}
          />
        )}
        <PaidTimeCard entries={ledger} keyId={keyId} now={now} formatDay={(at) => formatDayOn(clock, at)} />
        <Card
          title="Invoices"
          lead="Each payment with its effect on your access, as the payment platform reported it."
          actions={
            invoices.length > 0 && (
              <div className="flex flex-wrap gap-2">
                <LinkButton href={paths.portalPaymentExport({ for: "excel" })} size="small" download>
                  <Download aria-hidden="true" className="size-4" />
                  Export for Excel
                </LinkButton>
                <LinkButton href={paths.portalPaymentExport()} size="small" download>
                  <Download aria-hidden="true" className="size-4" />
                  Export CSV
                </LinkButton>
              </div>
            )
          }
          flush
        >
          {invoices.length > 0 ? (
            <DataTable
              caption="Payments, newest first"
              columns={paymentColumns({ clock, now })}
              rows={invoices}
              rowKey={(row) => row.invoiceId}
            />
          ) : (
            <EmptyState icon={ReceiptText} title="No payments yet">
              Each payment is listed here with its effect on your access.
            </EmptyState>
          )}
        </Card>
        {credits.length > 0 && (
          <Card
            title="Downtime credits"
            lead="Market time without fresh signals because our service failed. It was added to the end of your access."
          >
            <FactList
              facts={credits.map(({ month, minutes }) => ({
                name: formatMonth(new Date(month)),
                value: `${Math.floor(minutes / 60)} h ${minutes % 60} min`,
              }))}
            />
          </Card>
        )}
      </div>
    </>
  );
}
