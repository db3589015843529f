import { ArrowLeftRight, CreditCard, KeyRound, type LucideIcon, Mail, OctagonX } from "lucide-react";
import { MoneyText } from "@/app/_components/money-text";
import { formatDay, formatInstant } from "@/app/_components/times";
import { RelativeTime } from "@/app/_components/timestamp";
import { mailFailureText } from "@/app/admin/(area)/mail/_components/failure-text";
import { MAIL_LABELS } from "@/app/admin/(area)/mail/_components/mail-labels";
import { actorLabel } from "@/app/admin/(area)/operations/_components/audit-table";
import type { TimelineEntry, TimelineKind } from "@/db/queries/timeline";
import { actionLabel } from "@/lib/admin/audit-text";
import { adminPaths } from "@/lib/paths";

const ICONS: Record<TimelineKind, LucideIcon> = {
  payment: CreditCard,
  key: KeyRound,
  mail: Mail,
  execution: ArrowLeftRight,
  refusal: OctagonX,
};

const WORDS: Record<string, string> = {
  created: "Payment opened access",
  renewed: "Payment renewed access",
  revived: "Payment made an expired key work again",
  paid: "Payment received",
  ended: "Invoice ended",
  "key.issue": "Key issued",
  "key.revoke": "Key revoked",
  "key.rotate": "Key rotated",
  "key.extend": "End of access moved",
  "key.make_full": "Try-out key became a full key",
  "key.stop_try_out": "Try-out ended",
  "key.change_grant": "Plan and limits changed",
  "subscriber.edit": "Contact changed",
  "mail.resend": "Mail sent again",
  "payment.provision": "Key issued for a payment",
  "payment.renew": "Access extended for a payment",
  "payment.revive": "Expired key works again after a payment",
  "payment.partial_refund": "Payment refunded in part",
  "payment.change_plan": "The payment platform changed the plan",
  "payment.follow_product": "Plan of a payment corrected by the product table",
  "payment.undo_plan_change": "Change of plan undone: its charge was refunded",
  "payment.join": "Two reports of one purchase joined",
  "payment.move": "Payment moved here from another subscription",
  "payment.take_back": "Key revoked: its payment belongs to another subscription",
  "payment.fail": "Payment failed",
  "payment.give_back": "Access restored",
  "key.suspend": "Key suspended",
  "key.reinstate": "Key reinstated",
  "payment.reinstate": "Key works again: the chargeback was won",
  "payment.revoke": "Key revoked: payment cancelled, refunded or charged back",
  "preferences.change": "Preferences changed",
  "portal.view": "Portal viewed",
  "portal.view_end": "Portal view ended",
  "account.change_address": "Address changed",
  "account.delete": "Account deleted",
  "account.delete_by_letter": "Deletion of the account requested",
  "account.revoke": "Key revoked: the account was deleted",
  opened: "Position opened",
  closed: "Position closed",
};

/** The history of a subscriber, newest first. */
export function Timeline({ entries, now }: { entries: readonly TimelineEntry[]; now: Date }) {
  return (
    <ol className="divide-y">
      {entries.map((entry) => {
        const Icon = ICONS[entry.kind];
        return (
          <li
            key={`${entry.kind}${entry.target}${entry.what}${entry.at.getTime()}`}
            className="flex gap-3 px-4 py-3 text-sm sm:px-6"
          >
            <span className="mt-0.5 grid size-7 shrink-0 place-items-center rounded-md bg-sunken text-muted">
              <Icon aria-hidden="true" className="size-4" />
            </span>
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                <span className="font-medium">
                  <EntryTitle entry={entry} />
                </span>
                <span className="text-xs text-faint" title={formatInstant(entry.at)}>
                  <RelativeTime at={entry.at} now={now} />
                </span>
              </p>
              <p className="break-words text-muted">{facts(entry)}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** The title, as a link if the entry has a page. */
function EntryTitle({ entry }: { entry: TimelineEntry }) {
  const [, id = ""] = entry.target.split("/");
  const href =
    entry.kind === "mail"
      ? adminPaths.mailMessage(Number(id))
      : entry.kind === "payment"
        ? adminPaths.payments({ q: entry.target.slice("invoice/".length) })
        : null;
  if (href === null) return title(entry);
  return (
    <a href={href} className="link">
      {title(entry)}
    </a>
  );
}

function title(entry: TimelineEntry): string {
  if (entry.kind === "refusal") return "Report refused";
  if (entry.kind === "mail") return mailTitle(entry.what);
  return WORDS[entry.what] ?? actionLabel(entry.what);
}

function mailTitle(kind: string): string {
  const words = MAIL_LABELS[kind] ?? kind;
  return `Mail: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** The facts are JSON of many shapes: each is read by name and omitted if it is missing. */
function facts(entry: TimelineEntry) {
  const text = (name: string): string | null => {
    const value = entry.facts[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const until = (name: string) => {
    const value = text(name);
    return value ? formatDay(new Date(value)) : "no end date";
  };
  const name = text("actor");
  const actor =
    name === null ? null : actorLabel({ actor: name, person: text("person"), subscriber: "the subscriber" });
  switch (entry.kind) {
    case "payment":
      return entry.what === "ended"
        ? joined([targetWords(entry.target), text("by")])
        : joined([targetWords(entry.target), text("plan"), `until ${until("expiresAt")}`]);
    case "key":
      if (entry.what === "key.extend")
        // The deletion of an account erases the details. A new end that is null is stored as null.
        return joined([
          targetWords(entry.target),
          "to" in entry.facts ? `${until("from")} → ${until("to")}` : null,
          actor,
        ]);
      return joined([targetWords(entry.target), actor, text("address")]);
    case "mail":
      return joined([MAIL_STATES[text("status") ?? ""] ?? null, mailError(text("error"))]);
    case "execution":
      return (
        <>
          {joined([
            text("symbol"),
            text("timeframe"),
            text("signal"),
            targetWords(entry.target),
            text("result"),
          ])}
          {entry.what === "closed" && text("pnl") !== null && (
            <>
              {", "}
              <MoneyText value={Number(text("pnl"))} />
            </>
          )}
        </>
      );
    case "refusal":
      return joined([entry.what, firstError(entry.facts.errors)]);
  }
}

const MAIL_STATES: Readonly<Record<string, string>> = { pending: "waiting", sent: "sent", dead: "failed" };

const mailError = (code: string | null) => code && (mailFailureText(code) ?? code);

/** `key/17` as `key 17`. An invoice id may contain a slash. */
const targetWords = (target: string): string => target.replace("/", " ");

function firstError(errors: unknown): string | null {
  if (!Array.isArray(errors)) return null;
  const first: unknown = errors[0];
  if (typeof first !== "object" || first === null || !("msg" in first) || !("loc" in first)) return null;
  const place = Array.isArray(first.loc) ? first.loc.slice(1).join(".") : "";
  return `${place} ${String(first.msg)}`.trim();
}

const joined = (parts: (string | null)[]) => parts.filter((part) => part !== null).join(", ");
