import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { roleForPage, roleIncludes } from "@/lib/access/people/roles";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Settings" };

const ROOMS = [
  {
    href: adminPaths.settingsPage("brand"),
    title: "Brand",
    text: "Name, logo, colours and mail sender.",
  },
  {
    href: adminPaths.texts(),
    title: "Texts",
    text: "Terms, privacy, imprint and risk, every version kept.",
  },
  {
    href: adminPaths.plans(),
    title: "Plans",
    text: "Symbols, features, limits and prices.",
  },
  {
    href: adminPaths.products(),
    title: "Products",
    text: "The plan and period that each product buys.",
  },
  {
    href: adminPaths.settingsPage("access"),
    title: "Access and payments",
    text: "Expiry notices, downtime credits and rules for unknown products.",
  },
  {
    href: adminPaths.symbols(),
    title: "Symbols",
    text: "Trading hours, decimals, costs and broker names.",
  },
  {
    href: adminPaths.alerts(),
    title: "Alerts",
    text: "Which alerts you get, how, and your quiet hours.",
  },
  {
    href: adminPaths.calendars(),
    title: "Calendars",
    text: "Holidays and early closes of each market.",
  },
  {
    href: adminPaths.thresholds(),
    title: "Thresholds and training",
    text: "When a slot counts as stale, and how often models are trained.",
  },
  {
    href: adminPaths.settingsPage("service"),
    title: "Service",
    text: "Backups, the public record, messages to the Telegram bot, and how long data is kept.",
  },
  {
    href: adminPaths.people(),
    title: "People",
    text: "Administrators, their roles and second factors.",
  },
  {
    href: adminPaths.transfer(),
    title: "Export and import",
    text: "Every setting as one file.",
  },
];

export default async function Settings() {
  const session = await requireAdminSession(adminPaths.settings());
  const flash = await consumeFlash(db(), session.sessionId);
  return (
    <>
      <PageHeader
        title="Settings"
        lead="Each change is previewed, recorded in the audit log, and in force on every server within a second."
      />
      <FlashNotice flash={flash} />
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {ROOMS.map(({ href, title, text }) => {
          const needed = roleForPage(href);
          const isAllowed = roleIncludes(session.role, needed);
          return (
            <Card
              key={href}
              title={
                isAllowed ? (
                  <a href={href} className="link">
                    {title}
                  </a>
                ) : (
                  title
                )
              }
            >
              <p className="text-sm text-muted">{text}</p>
              {!isAllowed && (
                <p className="mt-2 text-sm text-muted">
                  Needs the role {needed}; yours is {session.role}.
                </p>
              )}
            </Card>
          );
        })}
      </div>
    </>
  );
}
