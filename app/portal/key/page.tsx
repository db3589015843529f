import { Activity, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { LiveTimeAgo } from "@/app/portal/_components/live";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import { db } from "@/db/client";
import { listRejectedReports } from "@/db/queries/execution-reports";
import { findHeartbeat } from "@/db/queries/heartbeats";
import { isDemoAccess } from "@/lib/auth/demo-access";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { usesEa } from "@/lib/runtime/plan-features";
import { readLastSeenAt } from "@/lib/subscribers/account";
import { recentRequests } from "@/lib/subscribers/recent-requests";
import { RejectedReports } from "./_components/rejected-reports";
import { RequestTable } from "./_components/request-table";

export const metadata = { title: "Key" };

const REJECTED_SHOWN = 20;
/** Number of recent requests that are shown at first; the others are collapsed. */
const REQUESTS_SHOWN = 8;

/** The key with its scope and limits, its replacement, and recent requests. */
export default async function KeyPage() {
  const subscriber = await requireSubscriber({ tryOut: true });
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const [heartbeat, seenAt, rejected, { since, requests }] = await Promise.all([
    findHeartbeat(db(), subscriber.subscriptionId),
    readLastSeenAt(subscriber.subscriptionId),
    listRejectedReports(db(), subscriber.subscriptionId, REJECTED_SHOWN),
    recentRequests(subscriber.subscriptionId),
  ]);
  const hasEa = usesEa(subscriber, seenAt);

  return (
    <>
      <PageHeader
        title="Key"
        lead={`${hasEa ? "Your EA identifies itself with it." : "Only your own programs need it; Telegram works without it."} Anyone who has the key can read your signals and report in your name.`}
        actions={<ClockSwitch clock={clock} back={paths.portalKey()} now={now} />}
      />
      <div className="space-y-6">
        <Card title="API key" actions={<Badge tone="up">Active</Badge>}>
          <div className="flex flex-wrap items-end justify-between gap-6">
            <dl className="grid flex-1 grid-cols-1 gap-x-10 gap-y-4 text-sm sm:grid-cols-2 xl:grid-cols-4">
              <Fact label="Key">
                <code className="font-mono">{subscriber.hint}</code>
              </Fact>
              <Fact label={`Created, ${clockOffsetLabel(clock, now)}`}>
                <PortalTime at={subscriber.keyCreatedAt} clock={clock} />
              </Fact>
              <Fact label="Last seen">{seenAt ? <LiveTimeAgo at={seenAt} /> : "never"}</Fact>
              <Fact label="From">{whereFrom(heartbeat)}</Fact>
            </dl>
          </div>
          <div className="mt-6 border-t pt-5">
            <Rotation
              isOwnerEnv={subscriber.isOwnerEnv}
              isFresh={subscriber.isFresh}
              hint={subscriber.hint}
              keyId={subscriber.keyId}
              mailed={subscriber.email !== null}
              hasEa={hasEa}
            />
          </div>
        </Card>
        <Card
          title="Recent requests"
          lead={
            <>
              The last 20 since <PortalTime at={since} clock={clock} /> {clockOffsetLabel(clock, now)}.
            </>
          }
          flush
        >
          {requests.length > 0 ? (
            <>
              <RequestTable requests={requests.slice(0, REQUESTS_SHOWN)} clock={clock} now={now} />
              {requests.length > REQUESTS_SHOWN && (
                <details className="border-t">
                  <summary className="px-4 py-3 text-sm text-muted hover:text-ink sm:px-6">
                    {countWithNoun(requests.length - REQUESTS_SHOWN, "older request")}
                  </summary>
                  <RequestTable requests={requests.slice(REQUESTS_SHOWN)} clock={clock} now={now} />
                </details>
              )}
            </>
          ) : (
            <EmptyState icon={Activity} title="No requests yet">
              Each call with this key is listed here with its response.
              {isDemoAccess(subscriber) && " Calls of the simulated EA are not."}
            </EmptyState>
          )}
        </Card>
        <Card
          title="Rejected reports"
          lead={`The last ${REJECTED_SHOWN} position reports that could not be read, and why. They were not recorded. Times in ${clockOffsetLabel(clock, now)}.`}
          flush
        >
          {rejected.length > 0 ? (
            <RejectedReports reports={rejected} clock={clock} />
          ) : (
            <EmptyState icon={ShieldCheck} title="No rejected reports">
              When a position report cannot be read, the field and the reason are listed here.
            </EmptyState>
          )}
        </Card>
      </div>
    </>
  );
}

function Rotation({
  isOwnerEnv,
  isFresh,
  hint,
  keyId,
  mailed,
  hasEa,
}: {
  isOwnerEnv: boolean;
  isFresh: boolean;
  hint: string;
  keyId: number;
  mailed: boolean;
  hasEa: boolean;
}) {
  if (isOwnerEnv)
    return <Button disabledReason="The owner's key is set in the configuration.">Rotate key</Button>;
  if (!isFresh) {
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <LinkButton href={paths.login(paths.portalKey(), { notice: "again" })}>
          Sign in again to rotate
        </LinkButton>
        <span className="text-sm text-muted">
          To rotate your key, sign in again: your last sign-in is more than ten minutes old.
        </span>
      </div>
    );
  }
  return (
    <PortalForms className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <ConfirmDialog
        trigger="Rotate key"
        title="Rotate your API key?"
        consequence={
          <>
            The key {hint} stops working at once. This cannot be undone.{" "}
            {hasEa ? (
              <>
                <strong>Your EA stops</strong> until you paste the new key into InpApiKey. Open positions stay
                open at your broker.
              </>
            ) : (
              "Programs that use it stop until they have the new key. Telegram messages continue."
            )}
            {mailed ? " The new key is shown once and mailed to you." : " The new key is shown once."}
          </>
        }
        confirmLabel="Rotate now"
        typedWord="ROTATE"
        action={paths.portalKeyForm("rotate")}
      >
        <ShownSubscriptionField />
        <input type="hidden" name="key_id" value={keyId} />
      </ConfirmDialog>
      <span className="text-sm text-muted">
        Rotate your key every few months, and at once if someone else may have seen it.
      </span>
    </PortalForms>
  );
}

function whereFrom(heartbeat: { client: string | null; address: string | null } | null): string {
  const parts = [heartbeat?.client, heartbeat?.address].filter(Boolean);
  return parts.length === 0 ? "no calls yet" : parts.join(", ");
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd className="mt-0.5 font-medium break-words">{children}</dd>
    </div>
  );
}
