import { adminPaths } from "@/lib/paths";

/** A page of the administration, with its search words. */
export interface SearchablePage {
  title: string;
  href: string;
  words: string;
}

const PAGES: readonly SearchablePage[] = [
  {
    title: "Overview",
    href: adminPaths.overview(),
    words: "home health attention version schema release backup start",
  },
  { title: "Setup checklist", href: adminPaths.setup(), words: "first steps start installation onboarding" },
  { title: "Subscribers", href: adminPaths.subscribers(), words: "customers people keys list" },
  { title: "Payments", href: adminPaths.payments(), words: "deliveries invoices refunds chargebacks" },
  { title: "Mail", href: adminPaths.mail(), words: "outbox queue failed transport test smtp resend" },
  { title: "Delivery", href: adminPaths.outbound(), words: "webhooks telegram discord outbound" },
  { title: "Signals and slots", href: adminPaths.signals(), words: "freshness stale" },
  { title: "Models", href: adminPaths.models(), words: "champions calibration quality drift" },
  {
    title: "Upload a file",
    href: adminPaths.upload(),
    words: "ingest import own models signals candles csv json features",
  },
  {
    title: "Status page",
    href: adminPaths.statusPage(),
    words: "incidents maintenance outage announce update resolved",
  },
  { title: "Settings", href: adminPaths.settings(), words: "configuration options" },
  {
    title: "Brand",
    href: adminPaths.settingsPage("brand"),
    words: "settings name logo colours sender support",
  },
  { title: "Texts", href: adminPaths.texts(), words: "settings legal terms privacy imprint risk" },
  {
    title: "Calendars",
    href: adminPaths.calendars(),
    words: "settings holidays market closed early close trading hours",
  },
  { title: "Alerts", href: adminPaths.alerts(), words: "settings notify quiet hours telegram" },
  {
    title: "Export and import",
    href: adminPaths.transfer(),
    words: "settings transfer json file backup copy",
  },
  { title: "Backup", href: adminPaths.backup(), words: "restore drill passphrase" },
  {
    title: "Operations",
    href: adminPaths.operations(),
    words: "jobs retention requests errors version schema release export csv configuration",
  },
  { title: "New subscriber", href: adminPaths.newSubscriber(), words: "create add issue key person" },
  { title: "Extend access of a list", href: adminPaths.extendMany(), words: "bulk days many subscribers" },
  {
    title: "Suspend, revoke or reinstate a list",
    href: adminPaths.stopMany(),
    words: "bulk many subscribers keys",
  },
  {
    title: "Revenue by week",
    href: adminPaths.paymentWeeks(),
    words: "sold renewed lost revenue sales payments",
  },
  { title: "Downtime credits", href: adminPaths.credits(), words: "compensation payments" },
  { title: "Payment platforms", href: adminPaths.platforms(), words: "stripe webhook secret test" },
  { title: "Notice to subscribers", href: adminPaths.sendNotice(), words: "announce mail everyone message" },
  { title: "Mail templates", href: adminPaths.mailTemplates(), words: "preview" },
  { title: "Pause signals", href: adminPaths.signals(), words: "stop slot symbol kill switch" },
  { title: "Plans", href: adminPaths.plans(), words: "settings limits symbols prices" },
  { title: "New plan", href: adminPaths.newPlan(), words: "add create settings" },
  { title: "Products", href: adminPaths.products(), words: "add settings map plan period grace" },
  { title: "Symbols", href: adminPaths.symbols(), words: "settings market hours costs digits" },
  {
    title: "Access and payments",
    href: adminPaths.settingsPage("access"),
    words: "settings end notice days downtime credit lost time failed events unmapped product grace",
  },
  {
    title: "Thresholds and training",
    href: adminPaths.thresholds(),
    words: "settings slots late stale down health baseline schedule",
  },
  {
    title: "Service",
    href: adminPaths.settingsPage("service"),
    words: "settings backup retention days kept public record candles telegram",
  },
  { title: "People", href: adminPaths.people(), words: "administrators invite role settings team" },
  { title: "Feeds", href: adminPaths.feeds(), words: "tokens candles" },
  { title: "Maintenance", href: adminPaths.statusPage(), words: "announce status planned downtime" },
  { title: "Audit log", href: adminPaths.audit(), words: "who did operations" },
];

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * Pages for which each search word is the beginning of one of their words, at most `max`. Pages whose title contains
 * the first search word come first.
 */
export function searchPages(query: string, max: number): SearchablePage[] {
  // Page names consist of plain words: other input is meant for the other searches.
  const wanted = /^[\p{L}\p{N}\s]+$/u.test(query) ? wordsOf(query) : [];
  if (wanted.length === 0) return [];
  const isAbout = ({ title, words }: SearchablePage) => {
    const known = wordsOf(`${title} ${words}`);
    return wanted.every((word) => known.some((one) => one.startsWith(word)));
  };
  const inTitle = ({ title }: SearchablePage) =>
    Number(wordsOf(title).some((word) => word.startsWith(wanted[0] ?? "")));
  return PAGES.filter(isAbout)
    .toSorted((a, b) => inTitle(b) - inTitle(a))
    .slice(0, max);
}
