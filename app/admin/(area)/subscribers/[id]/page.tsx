import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatDay } from "@/app/_components/times";
import { RelativeTime, Timestamp } from "@/app/_components/timestamp";
import { db } from "@/db/client";
import { findSubscriber, type SubscriberKey } from "@/db/queries/admin-subscribers";
import { listTimeline, TIMELINE_KINDS } from "@/db/queries/admin-timeline";
import { daysRemaining, eaStateAt } from "@/lib/account";
import { parseId, writeUtcMinute } from "@/lib/admin/form-fields";
import { adminPaths } from "@/lib/admin/paths";
import { PageQuery, type SearchParams } from "@/lib/admin/search-params";
import { takeAdminFlash } from "@/lib/auth/admin-flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { heartbeats, laterOf } from "@/lib/heartbeat";
import { effectiveRateLimit } from "@/lib/plans";
import { AccessPill } from "../../../_parts/access-pill";
import { FlashNotice, formState } from "../../../_parts/flash-notice";
import { GrantFields } from "../../../_parts/grant-fields";
import { Timeline } from "../../../_parts/timeline";

export const metadata: Metadata = { title: "Subscriber" };

const TIMELINE_PAGE = 30;
const KIND_WORDS = {
  payment: "Payments",
  key: "Keys and actions",
  mail: "Mail",
  execution: "Executions",
  refusal: "Refused reports",
} as const;

/** Everything about one subscriber, and what can be done. */
export default async function SubscriberPage({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>;
  searchParams: SearchParams;
}) {
  const id = parseId((await params).id);
  if (id === null) notFound();
  const session = await requireAdminSession(adminPaths.subscriber(id));
  const now = new Date();
  const query = new PageQuery(await searchParams);
  const show = query.oneOf("show", TIMELINE_KINDS);
  const before = query.instantText("before") ?? new Date(now.getTime() + 60_000).toISOString();
  const [found, entries, flash] = await Promise.all([
    findSubscriber(db(), id),
    listTimeline(db(), {
      subscriptionId: id,
      kinds: show ? [show] : TIMELINE_KINDS,
      before,
      limit: TIMELINE_PAGE,
    }),
    takeAdminFlash(session.sessionId),
  ]);
  if (!found) notFound();
  const { subscription, keys, heartbeat } = found;
  const key = keys[0];
  const state = key ? keyState(key, now) : "none";
  const ended = state !== "active" && state !== "expired";
  const seenAt = laterOf(heartbeat?.lastSeenAt ?? null, heartbeats().newestOf(id));
  const ea = eaStateAt(seenAt, now);
  const daysLeft = daysRemaining(key?.expiresAt ?? null, now);
  const oldest = entries.at(-1);

  const extend = formState(flash, "key.extend");
  const grant = formState(flash, "key.grant");
  const contact = formState(flash, "subscriber.contact");
  const issue = formState(flash, "key.issue");

  return (
    <>
      <PageHeader
        eyebrow={
          <Link href={adminPaths.subscribers()} className="link">
            Subscribers
          </Link>
        }
        title={subscription.userName}
        lead={
          <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="break-all">{subscription.email ?? "no address"}</span>
            {key && <Badge>{key.planTier}</Badge>}
            <AccessPill state={state} />
          </span>
        }
        actions={
          key &&
          !ended && (
            <>
              {state === "active" && (
                <ConfirmDialog
                  trigger="Replace the key"
                  triggerVariant="secondary"
                  title={`Replace the key of ${subscription.userName}?`}
                  consequence={
                    <>
                      The key <span className="font-mono">{key.hint}</span> stops at the next request: the EA
                      is refused until the new one is pasted. The new key is shown to you once
                      {subscription.email ? ` and mailed to ${subscription.email}` : ""}.
                    </>
                  }
                  confirmLabel="Replace the key"
                  action={adminPaths.subscriberForm(id, "replace")}
                  fields={{ key_id: String(key.keyId) }}
                />
              )}
              <ConfirmDialog
                trigger="Revoke"
                title={`Revoke the key of ${subscription.userName}?`}
                consequence={
                  <>
                    The key <span className="font-mono">{key.hint}</span> stops at the next request and never
                    works again. Open positions can then no longer be reported. Their history stays.
                  </>
                }
                confirmLabel="Revoke the key"
                action={adminPaths.subscriberForm(id, "revoke")}
                fields={{ key_id: String(key.keyId) }}
              />
            </>
          )
        }
      />
      <FlashNotice flash={flash} />
      <StatRow columns={4} label="State">
        <Stat
          label="EA"
          value={<StatusPill state={ea.status} />}
          note={seenAt ? <RelativeTime at={seenAt} now={now} /> : "no call received yet"}
        />
        <Stat
          label="Access until"
          value={key ? (key.expiresAt ? formatDay(key.expiresAt) : "No end") : "–"}
          note={daysLeft === null ? undefined : `${formatNumber(daysLeft)} days left`}
        />
        <Stat
          label="Requests per minute"
          value={key ? formatNumber(effectiveRateLimit(key)) : "–"}
          note={key?.rateLimitPerMin ? "set for this key" : "of the plan"}
        />
        <Stat
          label="Calls by this key"
          value={formatNumber(key?.nCalls ?? 0)}
          note={heartbeat?.client?.slice(0, 40) ?? undefined}
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
                <Link
                  key={kind ?? "all"}
                  href={adminPaths.subscriber(id, { show: kind })}
                  aria-current={kind === show ? "true" : undefined}
                  scroll={false}
                  className="inline-flex h-7 items-center rounded-md border border-transparent px-2.5 text-xs font-medium text-muted hover:bg-sunken hover:text-ink aria-[current]:border-line aria-[current]:bg-sunken aria-[current]:text-ink"
                >
                  {kind ? KIND_WORDS[kind] : "Everything"}
                </Link>
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
          <Card title="Keys" flush>
            <ul className="divide-y text-sm">
              {keys.map((each) => (
                <li
                  key={each.keyId}
                  className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-3 sm:px-6"
                >
                  <span className="font-mono">{each.hint}</span>
                  <span className="text-faint">key {each.keyId}</span>
                  <Badge>{each.planTier}</Badge>
                  <KeyStateWords entry={each} now={now} />
                  <span className="text-muted">
                    made <Timestamp at={each.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        </div>

        <div className="min-w-0 space-y-6">
          {key && !ended && (
            <Card
              title="Extend access"
              lead={state === "expired" ? "Access starts again at once." : undefined}
            >
              {key.expiresAt && (
                <form
                  method="post"
                  action={adminPaths.subscriberForm(id, "extend")}
                  className="mb-5 flex flex-wrap gap-2"
                >
                  <input type="hidden" name="key_id" value={key.keyId} />
                  {["31", "92", "365"].map((days) => (
                    <Button key={days} type="submit" size="small" name="add_days" value={days}>
                      + {days} days
                    </Button>
                  ))}
                </form>
              )}
              <form method="post" action={adminPaths.subscriberForm(id, "extend")} className="space-y-4">
                <input type="hidden" name="key_id" value={key.keyId} />
                <TextInput
                  label={key.expiresAt ? "Or until, UTC" : "Access until, UTC"}
                  name="expires_at"
                  type="datetime-local"
                  defaultValue={extend.values.expires_at ?? writeUtcMinute(key.expiresAt)}
                  error={extend.errors.expires_at}
                  hint="Blank: access does not end."
                />
                <Button type="submit">Set the end</Button>
              </form>
            </Card>
          )}
          {state !== "active" && id !== 0 && (
            <Card
              title="Issue a new key"
              lead="On the same subscription, so that executions and history continue. It is shown once."
            >
              <form method="post" action={adminPaths.subscriberForm(id, "issue")} className="space-y-4">
                <TextInput
                  label="Access until, UTC"
                  name="expires_at"
                  type="datetime-local"
                  defaultValue={issue.values.expires_at}
                  error={issue.errors.expires_at}
                  hint="Blank: access does not end."
                />
                <Button type="submit">Issue a key</Button>
              </form>
            </Card>
          )}
          {key && !ended && (
            <Card title="Plan and limits">
              <form method="post" action={adminPaths.subscriberForm(id, "grant")} className="space-y-4">
                <input type="hidden" name="key_id" value={key.keyId} />
                <GrantFields
                  values={grant.returned ? grant.values : grantValues(key)}
                  errors={grant.errors}
                />
                <Button type="submit">Change</Button>
              </form>
            </Card>
          )}
          {id !== 0 && (
            <Card title="Contact and notes">
              <form method="post" action={adminPaths.subscriberForm(id, "contact")} className="space-y-4">
                <TextInput
                  label="Name"
                  name="user_name"
                  required
                  maxLength={120}
                  defaultValue={contact.values.user_name ?? subscription.userName}
                  error={contact.errors.user_name}
                />
                <TextInput
                  label="E-mail"
                  name="email"
                  type="email"
                  defaultValue={contact.values.email ?? subscription.email ?? ""}
                  error={contact.errors.email}
                  hint="Mail from now on goes here; payments are matched by it."
                />
                <TextArea
                  label="Notes"
                  name="notes"
                  maxLength={2000}
                  defaultValue={contact.values.notes ?? subscription.notes ?? ""}
                  error={contact.errors.notes}
                />
                <Button type="submit">Save</Button>
              </form>
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

function keyState(key: SubscriberKey, now: Date): "active" | "expired" | "revoked" {
  if (key.revokedAt ?? key.rotatedAt) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

function grantValues(key: SubscriberKey): Record<string, string> {
  return {
    plan_tier: key.planTier,
    symbols_allowed: key.symbolsAllowed?.join(", ") ?? "",
    tfs_allowed: key.tfsAllowed?.join(", ") ?? "",
    rate_limit_per_min: key.rateLimitPerMin === null ? "" : String(key.rateLimitPerMin),
  };
}

function KeyStateWords({ entry, now }: { entry: SubscriberKey; now: Date }) {
  if (entry.rotatedAt)
    return (
      <span className="text-muted">
        replaced <Timestamp at={entry.rotatedAt} />
      </span>
    );
  if (entry.revokedAt)
    return (
      <span className="text-muted">
        revoked <Timestamp at={entry.revokedAt} />
      </span>
    );
  return <AccessPill state={keyState(entry, now)} />;
}
