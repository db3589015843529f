import { Activity, ArrowLeft } from "lucide-react";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { MissingPage } from "@/app/portal/_components/missing-page";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import { attemptColumns } from "@/app/portal/delivery/_components/attempt-columns";
import { EndpointFields } from "@/app/portal/delivery/_components/endpoint-fields";
import { endpointIdOrZero, hidePathFromAdministrator } from "@/app/portal/delivery/_components/endpoint-form";
import { EndpointStatePill } from "@/app/portal/delivery/_components/endpoint-state";
import { db } from "@/db/client";
import { findEndpoint, listWebhookAttempts } from "@/db/queries/webhook-endpoints";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { paths } from "@/lib/paths";

export const metadata = { title: "Webhook" };

const ATTEMPTS_SHOWN = 200;

/** An endpoint: its state, its deliveries, and the responses. */
export default async function WebhookPage({ params }: { params: Promise<{ id: string }> }) {
  const subscriber = await requireSubscriber();
  const endpointId = endpointIdOrZero(await params);
  const { subscriptionId } = subscriber;
  const [flash, endpoint, attempts] = await Promise.all([
    consumeFlash(db(), subscriber.flashSession),
    findEndpoint(db(), subscriptionId, endpointId),
    listWebhookAttempts(db(), { subscriptionId, endpointId, limit: ATTEMPTS_SHOWN }),
  ]);
  if (!endpoint) return <MissingPage />;
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const isPaused = endpoint.state === "paused";
  const { formerSecretUntil } = endpoint;
  const address = (form: "pause" | "resume" | "test") => paths.portalWebhookForm(endpointId, form);

  return (
    <>
      <PageHeader
        title={new URL(endpoint.url).host}
        eyebrow={
          <a href={paths.portalDelivery()} className="inline-flex min-h-6 items-center gap-1 hover:text-ink">
            <ArrowLeft aria-hidden="true" className="size-3.5" /> Delivery
          </a>
        }
        lead={<EndpointStatePill endpoint={endpoint} />}
        actions={<ClockSwitch clock={clock} back={paths.portalWebhook(endpointId)} now={now} />}
      />
      <FlashNotice flash={flash} />
      <PortalForms className="min-w-0 space-y-6">
        {isPaused && endpoint.pauseReason !== "by_owner" && (
          <Notice tone="warn" title="Nothing is sent at the moment">
            {endpoint.pauseReason === "gone"
              ? "Your server answered 410, which asks us to stop."
              : "Ten attempts to deliver an event failed in a day."}{" "}
            When it works again, resume: we send the signals of the last 24 hours in order.
          </Notice>
        )}
        <Card title="Endpoint">
          <form method="post" action={paths.portalWebhookForm(endpointId, "save")} className="space-y-6">
            <ShownSubscriptionField />
            <EndpointFields
              form={formState(flash, "portal.webhook_save")}
              stored={hidePathFromAdministrator(subscriber, endpoint)}
            />
            <Button type="submit" variant="primary">
              Save
            </Button>
          </form>
          <div className="mt-6 flex flex-wrap items-center gap-3 border-t pt-5">
            <form method="post" action={address("test")}>
              <ShownSubscriptionField />
              {isPaused ? (
                <Button disabledReason="The endpoint is paused.">Send a test</Button>
              ) : (
                <Button type="submit">Send a test</Button>
              )}
            </form>
            <form method="post" action={address(isPaused ? "resume" : "pause")}>
              <ShownSubscriptionField />
              <Button type="submit">{isPaused ? "Resume" : "Pause"}</Button>
            </form>
            <ConfirmDialog
              trigger="Replace the secret"
              triggerVariant="secondary"
              title="Replace the secret?"
              consequence="The new secret is shown once. For 24 hours deliveries are signed with both; then the old one ends."
              confirmLabel="Replace"
              action={paths.portalWebhookForm(endpointId, "rotate")}
            >
              <ShownSubscriptionField />
            </ConfirmDialog>
            <ConfirmDialog
              trigger="Delete"
              title="Delete this endpoint?"
              consequence="The endpoint gets no more deliveries, and its delivery history is deleted."
              confirmLabel="Delete"
              action={paths.portalWebhookForm(endpointId, "delete")}
            >
              <ShownSubscriptionField />
            </ConfirmDialog>
          </div>
          {formerSecretUntil !== null && formerSecretUntil > now && (
            <p className="mt-4 text-sm text-muted">
              The old secret works until <PortalTime at={formerSecretUntil} clock={clock} now={now} />.
            </p>
          )}
        </Card>
        <Card
          title="Deliveries"
          lead={`The last ${ATTEMPTS_SHOWN} attempts, with the first kilobyte of each response. Times in ${clockOffsetLabel(clock, now)}.`}
          flush
        >
          {attempts.length > 0 ? (
            <DataTable
              caption="Attempts, newest first"
              columns={attemptColumns({ clock, now, endpointId })}
              rows={attempts}
              rowKey={(row) => row.attemptId}
            />
          ) : (
            <EmptyState icon={Activity} title="No deliveries yet">
              The next event is sent when it happens. You can send a test now.
            </EmptyState>
          )}
        </Card>
      </PortalForms>
    </>
  );
}
