import type { ReactNode } from "react";
import { render, toPlainText } from "react-email";
import * as accessReinstated from "@/emails/access-reinstated";
import * as accessRevoked from "@/emails/access-revoked";
import * as accessSuspended from "@/emails/access-suspended";
import * as accountDeletion from "@/emails/account-deletion";
import * as addressChange from "@/emails/address-change";
import * as addressChanged from "@/emails/address-changed";
import * as adminInvitation from "@/emails/admin-invitation";
import * as adminSecretUsed from "@/emails/admin-secret-used";
import * as adminSignIn from "@/emails/admin-sign-in";
import * as channelPaused from "@/emails/channel-paused";
import * as downtimeCredited from "@/emails/downtime-credited";
import * as eaOffline from "@/emails/ea-offline";
import * as expiryReminder from "@/emails/expiry-reminder";
import * as keyCreated from "@/emails/key-created";
import * as keyRotated from "@/emails/key-rotated";
import * as modelChanged from "@/emails/model-changed";
import * as notice from "@/emails/notice";
import * as ownerAlert from "@/emails/owner-alert";
import * as paymentFailed from "@/emails/payment-failed";
import * as paymentMoved from "@/emails/payment-moved";
import * as planEnding from "@/emails/plan-ending";
import * as recoveryCodeUsed from "@/emails/recovery-code-used";
import * as renewed from "@/emails/renewed";
import * as secondFactorLocked from "@/emails/second-factor-locked";
import * as signIn from "@/emails/sign-in";
import * as testMail from "@/emails/test-mail";
import * as tryOut from "@/emails/try-out";
import * as webhookPaused from "@/emails/webhook-paused";
import { greetingName } from "./greeting-name";
import { KINDS_WITH_SECRET, type MailKind, type MailPropsByKind } from "./kinds";
import {
  accountLinkUrl,
  adminLinkUrl,
  alertsUrl,
  type MailContext,
  mailLinks,
  signInUrl,
  tryOutUrl,
} from "./links";
import { MissingMailSecretError } from "./missing-secret-error";
import { newWayAfter, newWayInMail, signalDelivery, signalDeliveryOfPlans } from "./signal-delivery";

export interface RenderedMail {
  subject: string;
  html: string;
  text: string;
}

export interface MailContent<K extends MailKind = MailKind> {
  kind: K;
  props: MailPropsByKind[K];
  /** The key or token; null for kinds without one. */
  secret: string | null;
  site: MailContext;
}

type Page = { subject: string; node: ReactNode };
type Writer<K extends MailKind> = (props: MailPropsByKind[K], secret: string, site: MailContext) => Page;

const page = <P>(
  template: { subject(props: NoInfer<P>): string; Message(props: P): ReactNode },
  props: P,
): Page => ({
  subject: template.subject(props),
  node: template.Message(props),
});

const WRITERS: { [K in MailKind]: Writer<K> } = {
  "key-created": ({ userName, planTier, delayCandles = null, ...facts }, apiKey, site) =>
    page(keyCreated, {
      name: greetingName(userName),
      apiKey,
      planTier,
      ...facts,
      delivery: signalDeliveryOfPlans(
        { planTier, plans: facts.stretches?.[0]?.plans ?? null, delayCandles },
        site,
      ),
      delayCandles,
      links: mailLinks(site),
    }),
  "key-rotated": ({ userName, delivery, ...facts }, apiKey, site) =>
    page(keyRotated, {
      name: greetingName(userName),
      apiKey,
      ...facts,
      delivery: signalDelivery(delivery, site),
      links: mailLinks(site),
    }),
  "access-revoked": ({ userName, hasOtherPayments = false, delivery, ...facts }, _, site) =>
    page(accessRevoked, {
      name: greetingName(userName),
      ...facts,
      hasOtherPayments,
      delivery: signalDelivery(delivery, site),
      links: mailLinks(site),
    }),
  "access-suspended": ({ userName, delivery, ...facts }, _, site) =>
    page(accessSuspended, {
      name: greetingName(userName),
      ...facts,
      delivery: signalDelivery(delivery, site),
      links: mailLinks(site),
    }),
  "access-reinstated": ({ userName, ...facts }, _, site) =>
    page(accessReinstated, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  renewed: ({ userName, newWay, ...facts }, _, site) =>
    page(renewed, {
      name: greetingName(userName),
      ...facts,
      newWay: newWayInMail(newWay, site),
      links: mailLinks(site),
    }),
  "payment-failed": ({ userName, ...facts }, _, site) =>
    page(paymentFailed, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  "downtime-credited": ({ userName, ...facts }, _, site) =>
    page(downtimeCredited, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  "sign-in": ({ expiresMinutes, next }, token, site) =>
    page(signIn, { url: signInUrl(site.baseUrl, token, next), expiresMinutes, links: mailLinks(site) }),
  "try-out": ({ expiresHours }, token, site) =>
    page(tryOut, { url: tryOutUrl(site.baseUrl, token), expiresHours, links: mailLinks(site) }),
  "admin-sign-in": ({ expiresMinutes }, token, site) =>
    page(adminSignIn, { url: adminLinkUrl(site.baseUrl, token), expiresMinutes, links: mailLinks(site) }),
  "admin-invitation": (facts, token, site) =>
    page(adminInvitation, { ...facts, url: adminLinkUrl(site.baseUrl, token), links: mailLinks(site) }),
  "admin-secret-used": (facts, _, site) => page(adminSecretUsed, { ...facts, links: mailLinks(site) }),
  "second-factor-locked": (facts, _, site) => page(secondFactorLocked, { ...facts, links: mailLinks(site) }),
  "recovery-code-used": (facts, _, site) => page(recoveryCodeUsed, { ...facts, links: mailLinks(site) }),
  "account-deletion": ({ userName, expiresMinutes }, token, site) =>
    page(accountDeletion, {
      name: greetingName(userName),
      url: accountLinkUrl(site.baseUrl, token),
      expiresMinutes,
      links: mailLinks(site),
    }),
  "address-change": ({ userName, ...facts }, token, site) =>
    page(addressChange, {
      name: greetingName(userName),
      url: accountLinkUrl(site.baseUrl, token),
      ...facts,
      links: mailLinks(site),
    }),
  "address-changed": ({ userName, isNew, byOperator }, _, site) =>
    page(addressChanged, {
      name: greetingName(userName),
      isNew,
      byOperator: byOperator ?? false,
      links: mailLinks(site),
    }),
  "owner-alert": ({ name, items }, _, site) =>
    page(ownerAlert, {
      name: greetingName(name),
      items: items.map(({ path, ...item }) => ({ ...item, url: `${site.baseUrl}${path}` })),
      settingsUrl: alertsUrl(site.baseUrl),
      links: mailLinks(site),
    }),
  "expiry-reminder": ({ userName, hasEa = true, ...facts }, _, site) =>
    page(expiryReminder, { name: greetingName(userName), ...facts, hasEa, links: mailLinks(site) }),
  "plan-ending": ({ userName, ...facts }, _, site) =>
    page(planEnding, {
      name: greetingName(userName),
      ...facts,
      nextWay: newWayInMail(newWayAfter(facts, { planTier: facts.nextPlan }), site),
      links: mailLinks(site),
    }),
  "ea-offline": ({ userName, ...facts }, _, site) =>
    page(eaOffline, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  "webhook-paused": ({ userName, ...facts }, _, site) =>
    page(webhookPaused, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  "channel-paused": ({ userName, ...facts }, _, site) =>
    page(channelPaused, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  "model-changed": ({ userName, ...facts }, _, site) =>
    page(modelChanged, { name: greetingName(userName), ...facts, links: mailLinks(site) }),
  "payment-moved": ({ userName, reason }, _, site) =>
    page(paymentMoved, { name: greetingName(userName), reason, links: mailLinks(site) }),
  notice: ({ userName, ...said }, _, site) =>
    page(notice, { name: greetingName(userName), ...said, links: mailLinks(site) }),
  test: (_, __, site) => page(testMail, { links: mailLinks(site) }),
};

/**
 * Renders a mail: subject, HTML and plain text. The same content gives the same bytes, so that a retry under one
 * idempotency key is accepted. Throws if a required secret is missing.
 */
export async function renderMail<K extends MailKind>(content: MailContent<K>): Promise<RenderedMail> {
  if (KINDS_WITH_SECRET.has(content.kind) && content.secret === null)
    throw new MissingMailSecretError(content.kind);
  const { subject, node } = WRITERS[content.kind](content.props, content.secret ?? "", content.site);
  return written(subject, node);
}

/** Renders the mail of a kind with sample values, for the administrator's preview and tests. */
export async function renderSample(kind: MailKind): Promise<RenderedMail> {
  const { subject, node } = SAMPLES[kind]();
  return written(subject, node);
}

const SAMPLES: Record<MailKind, () => Page> = {
  "key-created": () => page(keyCreated, keyCreated.previewProps),
  "key-rotated": () => page(keyRotated, keyRotated.previewProps),
  "admin-sign-in": () => page(adminSignIn, adminSignIn.previewProps),
  "admin-invitation": () => page(adminInvitation, adminInvitation.previewProps),
  "admin-secret-used": () => page(adminSecretUsed, adminSecretUsed.previewProps),
  "second-factor-locked": () => page(secondFactorLocked, secondFactorLocked.previewProps),
  "recovery-code-used": () => page(recoveryCodeUsed, recoveryCodeUsed.previewProps),
  "access-revoked": () => page(accessRevoked, accessRevoked.previewProps),
  "access-suspended": () => page(accessSuspended, accessSuspended.previewProps),
  "access-reinstated": () => page(accessReinstated, accessReinstated.previewProps),
  renewed: () => page(renewed, renewed.previewProps),
  "payment-failed": () => page(paymentFailed, paymentFailed.previewProps),
  "payment-moved": () => page(paymentMoved, paymentMoved.previewProps),
  "downtime-credited": () => page(downtimeCredited, downtimeCredited.previewProps),
  "try-out": () => page(tryOut, tryOut.previewProps),
  "sign-in": () => page(signIn, signIn.previewProps),
  "account-deletion": () => page(accountDeletion, accountDeletion.previewProps),
  "address-change": () => page(addressChange, addressChange.previewProps),
  "address-changed": () => page(addressChanged, addressChanged.previewProps),
  "owner-alert": () => page(ownerAlert, ownerAlert.previewProps),
  "expiry-reminder": () => page(expiryReminder, expiryReminder.previewProps),
  "plan-ending": () => page(planEnding, planEnding.previewProps),
  "ea-offline": () => page(eaOffline, eaOffline.previewProps),
  "webhook-paused": () => page(webhookPaused, webhookPaused.previewProps),
  "channel-paused": () => page(channelPaused, channelPaused.previewProps),
  "model-changed": () => page(modelChanged, modelChanged.previewProps),
  notice: () => page(notice, notice.previewProps),
  test: () => page(testMail, testMail.previewProps),
};

async function written(subject: string, node: ReactNode): Promise<RenderedMail> {
  const html = await render(node);
  return { subject, html, text: plainText(html) };
}

function plainText(html: string): string {
  const text = toPlainText(html, {
    wordwrap: false,
    selectors: [
      { selector: "h1", options: { uppercase: false } },
      { selector: "table", format: "block" },
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      // Two-column tables: name and value on one line.
      { selector: "td", format: "inline" },
      { selector: "td.muted", format: "factName" },
    ],
    formatters: { factName },
  });
  return `${text.replace(/\n{3,}/g, "\n\n").trim()}\n`;
}

/** The used part of html-to-text's builder, because the package has no types. */
interface TextBuilder {
  addInline(text: string): void;
}

function factName(
  element: { children: unknown },
  walk: (children: unknown, builder: TextBuilder) => void,
  builder: TextBuilder,
): void {
  walk(element.children, builder);
  builder.addInline(": ");
}
