import { SETTINGS } from "@/lib/settings/registry";
import { ADMIN_ROLES, type AdminRole } from "@/lib/vocabulary";

/**
 * The lowest role for every form and file of the administration, by name. Names that are not listed are for
 * owners only. A test compares the list with the folders.
 */
export const ACTION_ROLES: Readonly<Record<string, AdminRole>> = {
  "alerts.save": "owner",
  "alerts.test": "owner",
  "brand.logo": "owner",
  "calendar.remove": "owner",
  "calendar.save": "owner",
  "calendar-day.remove": "owner",
  "calendar-day.save": "owner",
  "credit.decline": "owner",
  "credit.decline_many": "owner",
  "delivery.again": "support",
  export: "support",
  "feed.candles": "owner",
  "feed-token.create": "owner",
  "feed-token.revoke": "owner",
  "account.delete": "owner",
  "incident.post": "support",
  "incident.update": "support",
  "ingest.upload": "owner",
  "key.make_full": "support",
  "key.stop_try_out": "support",
  "key.extend": "support",
  "key.extend_many": "owner",
  "key.grant": "support",
  "key.issue": "support",
  "key.reinstate": "support",
  "key.replace": "support",
  "key.revoke": "support",
  "key.stop_many": "owner",
  "key.suspend": "support",
  "mail.notice": "owner",
  "mail.preview": "reader",
  "mail.resend": "support",
  "mail.resend_key": "support",
  "mail.template": "reader",
  "mail.test": "support",
  "maintenance.announce": "support",
  "maintenance.withdraw": "support",
  "model.beside": "owner",
  "model.promote": "owner",
  "model.retire": "owner",
  "pause.end": "support",
  "pause.start": "support",
  "payment.give_back": "support",
  "payment.reapply": "support",
  "payment.reveal": "support",
  "payment.review": "support",
  "payment.review_shared": "support",
  "payment.test": "support",
  "payment.won": "support",
  "people.change_role": "owner",
  "people.invite": "owner",
  "people.invite_again": "owner",
  "people.new_codes": "owner",
  "people.remove": "owner",
  "people.renew_factor": "owner",
  "plan.save": "owner",
  "portal.view": "support",
  "portal.view_end": "support",
  "product.remove": "owner",
  "product.save": "owner",
  "producer-token.create": "owner",
  "producer-token.revoke": "owner",
  search: "reader",
  "secret.end_former": "owner",
  "secret.remove": "owner",
  "secret.store": "owner",
  "secret.try": "owner",
  "settings.export": "owner",
  "settings.import": "owner",
  "setup.hide": "owner",
  "setup.show": "owner",
  "subscriber.contact": "support",
  "subscriber.create": "support",
  "symbol.save": "owner",
  "text.save": "owner",
  "thresholds.slot": "owner",
  ...Object.fromEntries(SETTINGS.map(({ form, role }) => [form, role])),
};

/** Pages that need a higher role than `reader`, by address. The role `reader` may see every other page. */
const PAGE_ROLES: readonly { pattern: RegExp; role: AdminRole }[] = [
  { pattern: /^\/admin\/alerts(?:\/|$)/, role: "owner" },
  { pattern: /^\/admin\/settings\/people(?:\/|$)/, role: "owner" },
  { pattern: /^\/admin\/subscribers\/new$/, role: "support" },
  { pattern: /^\/admin\/subscribers\/[^/]+\/key$/, role: "support" },
];

/** The lowest role for a form or file. */
export const roleForAction = (name: string): AdminRole => ACTION_ROLES[name] ?? "owner";

/** The lowest role for a page. */
export function roleForPage(address: string): AdminRole {
  const [path = ""] = address.split("?");
  return PAGE_ROLES.find(({ pattern }) => pattern.test(path))?.role ?? "reader";
}

/** Whether a role includes the one that is needed. */
export const roleIncludes = (role: AdminRole, needed: AdminRole): boolean =>
  ADMIN_ROLES.indexOf(role) <= ADMIN_ROLES.indexOf(needed);
