import { Eye } from "lucide-react";
import type { Metadata } from "next";
import { cache } from "react";
import { z } from "zod";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { PaidTimeCard } from "@/app/_components/paid-time-card";
import { planOrder } from "@/app/_components/plan-order";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatDay } from "@/app/_components/times";
import { RelativeTime } from "@/app/_components/timestamp";
import { ActionForm, findActionDenialReason } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { AccessPill } from "@/app/admin/(area)/subscribers/_components/access-pill";
import { TryOutBadge } from "@/app/admin/(area)/subscribers/_components/try-out-badge";
import { db } from "@/db/client";
import { countRecentCredits } from "@/db/queries/credits";
import { listPaidTimeHistory } from "@/db/queries/paid-time";
import { findPaymentDeliveryToReview } from "@/db/queries/payment-deliveries";
import { findSubscriberWithKeys } from "@/db/queries/subscribers";
import { listTimeline, TIMELINE_KINDS } from "@/db/queries/timeline";
import { effectiveRateLimit, planTitle } from "@/lib/access/plans";
import { parseIdOrNull } from "@/lib/admin/form-fields";
import { keyAccessState } from "@/lib/admin/key-access-state";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { canResendKeyMail } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";
import { daysRemaining } from "@/lib/subscribers/account";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { newestUnwrittenCall } from "@/lib/subscribers/heartbeat";
import { laterInstant, MINUTE_MS } from "@/lib/time";
import { choiceFilter, instantTextFilter, type SearchParams } from "@/lib/wire/query-filter";
import { ContactCard } from "./_components/contact-card";
import { DeleteCard } from "./_components/delete-card";
import { ExtendCard } from "./_components/extend-card";
import { IssueKeyCard } from "./_components/issue-key-card";
import { KeyList } from "./_components/key-list";
import { PlanAndLimitsCard } from "./_components/plan-and-limits-card";
import { RevokeKeyButton } from "./_components/revoke-key-button";
import { RotateKeyButton } from "./_components/rotate-key-button";
import { SuspendKeyButton } from "./_components/suspend-key-button";
import { SuspendedNotice } from "./_components/suspended-notice";
import { Timeline } from "./_components/timeline";
import { TryOutNotice } from "./_components/try-out-notice";

/** Title and page share one query. */
const readSubscriber = cache((id: number) => findSubscriberWithKeys(db(), id));

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const id = parseIdOrNull((await params).id);
  if (id === null) return { title: "Not found" };
  // Only signed-in administrators may see the name in the title.
  await requireAdminSession(adminPaths.subscriber(id));
  const found = await readSubscriber(id);
  return { title: found ? `${found.subscription.userName} · Subscriber` : "Not found" };
}

const TIMELINE_PAGE = 20;
const KIND_LABELS = {
  payment: "Payments",
  key: "Keys and actions",
  mail: "Mail",
  execution: "Positions",
  refusal: "Refused reports",
} as const;

const Filter = z.object({ show: choiceFilter(TIMELINE_KINDS), before: instantTextFilter });

/** A subscriber with all data and actions. */
export default async function SubscriberPage({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>;
  searchParams: SearchParams;
}) {
  const id = parseIdOrNull((await params).id);
  if (id === null) return <MissingPage />;
  const session = await requireAdminSession(adminPaths.subscriber(id));
  const now = new Date();
  const { show, before = new Date(now.getTime() + MINUTE_MS).toISOString() } = Filter.parse(
    await searchParams,
  );
  const [found, entries, flash, unwritten, ledger, hasFailedKeyMail, toReview, credits] = await Promise.all([
    readSubscriber(id),
    listTimeline(db(), {
      subscriptionId: id,
      kinds: show ? [show] : TIMELINE_KINDS,
      before,
      limit: TIMELINE_PAGE,
    }),
    consumeFlash(db(), session.sessionId),
    newestUnwrittenCall(id),
    listPaidTimeHistory(db(), id),
    canResendKeyMail(db(), id),
    findPaymentDeliveryToReview(db(), id),
    countRecentCredits(db(), { ids: [id] }),
  ]);
  if (!found) return <MissingPage />;
  // All actions of the header need the same role, so it says once that they are not allowed.
  const denial = await findActionDenialReason("key.suspend");
  const { subscription, keys, heartbeat } = found;
  const key = keys[0];
  const state = key ? keyAccessState(key, now) : "none";
  const ended = state === "revoked" || state === "none";
  const seenAt = laterInstant(heartbeat?.lastSeenAt ?? null, unwritten);
  const ea = eaStateAt(seenAt, now);
  const daysLeft = daysRemaining(key?.expiresAt ?? null, now);
  const oldest = entries.at(-1);
  const isEditable = id !== 0 && subscription.erasedAt === null;

  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.subscribers(), label: "Subscribers" }}
        title={subscription.userName}
        lead={
          <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="break-all">{subscription.email ?? "no address"}</span>
            {key && <Badge>{planTitle(key.planTier)}</Badge>}
            {key && <TryOutBadge delayCandles={key.delayCandles} />}
            <AccessPill state={state} />
            {id !== 0 && <span>since {formatDay(subscription.createdAt)}</span>}
          </span>
        }
        actions={
          key &&
          !ended &&
          (denial !== null ? (
            <p className="text-sm text-muted">{denial}</p>
          ) : (
            <>
              {state === "active" && hasFailedKeyMail && (
                <ActionForm
                  needs="mail.resend_key"
                  action={adminPaths.subscriberForm(subscription.id, "key-mail")}
                >
                  <Button type="submit">Send the key mail again</Button>
                </ActionForm>
              )}
              {state === "active" && id !== 0 && (
                <ActionForm needs="portal.view" action={adminPaths.subscriberForm(id, "view")}>
                  <Button type="submit">
                    <Eye aria-hidden="true" />
                    View as subscriber
                  </Button>
                </ActionForm>
              )}
              {state === "active" && <RotateKeyButton subscription={subscription} entry={key} />}
              {state !== "suspended" && <SuspendKeyButton subscription={subscription} entry={key} />}
              <RevokeKeyButton subscription={subscription} entry={key} />
            </>
          ))
        }
      />
      <FlashNotice flash={flash} />
      {toReview !== null && (
        <div className="mb-6">
          <Notice tone="warn" title="A payment needs a review">
            The service could not process it completely, or you have to decide about access.{" "}
            <a href={adminPaths.delivery(toReview)} className="link">
              Review the payment
            </a>
          </Notice>
        </div>
      )}
      {key?.suspendedAt && state === "suspended" && (
        <div className="mb-6">
          <SuspendedNotice id={id} entry={key} since={key.suspendedAt} />
        </div>
      )}
      {key && !ended && key.delayCandles !== null && (
        <div className="mb-6">
          <TryOutNotice
            id={id}
            keyId={key.keyId}
            delayCandles={key.delayCandles}
            expiresAt={key.expiresAt}
            now={now}
          />
        </div>
      )}
      <StatRow columns={4} label="State">
        <Stat
          label="EA"
          value={<StatusPill state={ea.status} />}
          note={seenAt ? <RelativeTime at={seenAt} now={now} /> : "no call received yet"}
        />
        <Stat
          label="Access until"
          // A revoked key gives no access, even before its end.
          value={key && !ended ? (key.expiresAt ? formatDay(key.expiresAt) : "No end date") : "–"}
          note={
            !key || ended
              ? "no key in force"
              : [
                  planOrder(key.stretches, now, formatDay),
                  daysLeft !== null && `${countWithNoun(daysLeft, "day")} left`,
                ]
                  .filter(Boolean)
                  .join("; ")
          }
        />
        <Stat
          label="Requests per minute"
          value={key ? formatNumber(effectiveRateLimit(key)) : "–"}
          note={key?.rateLimitPerMin ? "set for this key" : "of the plan"}
        />
        <Stat
          label="Calls by this key"
          value={formatNumber(key?.nCalls ?? 0)}
          note={heartbeat?.client?.split(" (")[0]?.slice(0, 40)}
        />
      </StatRow>

      <div className="mt-6 grid items-start gap-6 xl:grid-cols-[1fr_22rem]">
        <div className="min-w-0 space-y-6">
          <Card title="Timeline" flush>
            <nav
              aria-label="What the timeline shows"
              className="flex flex-wrap gap-1.5 border-b px-4 py-3 sm:px-6"
            >
              {[undefined, ...TIMELINE_KINDS].map((kind) => (
                <a
                  key={kind ?? "all"}
                  href={adminPaths.subscriber(id, { show: kind })}
                  aria-current={kind === show ? "true" : undefined}
                  data-keeps-scroll
                  className="inline-flex h-7 items-center rounded-md border border-transparent px-2.5 text-xs font-medium text-muted hover:bg-sunken hover:text-ink aria-[current]:border-line aria-[current]:bg-sunken aria-[current]:text-ink"
                >
                  {kind ? KIND_LABELS[kind] : "Everything"}
                </a>
              ))}
            </nav>
            {entries.length === 0 ? (
              <EmptyState title="Nothing here yet">
                Payments, keys, mails, positions and refused reports appear as they happen.
              </EmptyState>
            ) : (
              <Timeline entries={entries} now={now} />
            )}
            {entries.length >= TIMELINE_PAGE && oldest && (
              <div className="border-t px-4 py-3 sm:px-6">
                <LinkButton size="small" href={adminPaths.subscriber(id, { show, before: oldest.cursor })}>
                  Older
                </LinkButton>
              </div>
            )}
          </Card>
          {key && (
            <PaidTimeCard
              entries={ledger}
              keyId={key.keyId}
              isRevoked={state === "revoked"}
              now={now}
              formatDay={formatDay}
            />
          )}
          <KeyList keys={keys} now={now} />
        </div>

        <div className="min-w-0 space-y-6">
          {key && !ended && (
            <ExtendCard
              id={id}
              entry={key}
              expired={state === "expired"}
              credits={credits}
              form={formState(flash, "key.extend")}
            />
          )}
          {state !== "active" && state !== "suspended" && isEditable && (
            <IssueKeyCard id={id} form={formState(flash, "key.issue")} />
          )}
          {key && !ended && <PlanAndLimitsCard id={id} entry={key} form={formState(flash, "key.grant")} />}
          {isEditable && (
            <ContactCard subscription={subscription} form={formState(flash, "subscriber.contact")} />
          )}
          {isEditable && <DeleteCard subscription={subscription} />}
        </div>
      </div>
    </>
  );
}
