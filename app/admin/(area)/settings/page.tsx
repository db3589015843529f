import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Settings" };

const ROOMS = [
  {
    href: adminPaths.settingsPage("brand"),
    title: "Brand",
    text: "What the service is called, its logo and colours, and who its mails come from.",
  },
  {
    href: adminPaths.texts(),
    title: "Texts",
    text: "Terms, privacy, imprint and risk, every version kept.",
  },
  {
    href: adminPaths.plans(),
    title: "Plans",
    text: "What keys may see and use, how often, and how it is sold.",
  },
  {
    href: adminPaths.products(),
    title: "Products",
    text: "What a product of a payment platform buys, and for how long.",
  },
  {
    href: adminPaths.settingsPage("access"),
    title: "Access and payments",
    text: "When its end is told, what lost time is given back, and what of payments no product says.",
  },
  {
    href: adminPaths.symbols(),
    title: "Symbols",
    text: "When each trades, its decimals and costs, and what brokers call it.",
  },
  {
    href: adminPaths.alerts(),
    title: "Alerts",
    text: "What you are told of, how, and in which hours not.",
  },
  {
    href: adminPaths.calendars(),
    title: "Calendars",
    text: "Holidays and early closes of each market, proposed for two years.",
  },
  {
    href: adminPaths.thresholds(),
    title: "Thresholds and training",
    text: "When the service or a slot counts as late, and how often models are trained.",
  },
  {
    href: adminPaths.settingsPage("service"),
    title: "Service",
    text: "Backups, the public record, messages to the Telegram bot, and how long things are kept.",
  },
  {
    href: adminPaths.people(),
    title: "People",
    text: "Who administers the service, in which role, each with a second factor.",
  },
];

/** What the operator decides, room by room. */
export default async function Settings() {
  const session = await requireAdminSession(adminPaths.settings());
  const flash = await consumeFlash(db(), session.sessionId);
  return (
    <>
      <PageHeader
        title="Settings"
        lead="Each change shows first whom it touches, is recorded with its old and new value, and is in force on every instance within a second."
      />
      <FlashNotice flash={flash} />
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {ROOMS.map(({ href, title, text }) => (
          <Card
            key={href}
            title={
              <Link href={href} className="link">
                {title}
              </Link>
            }
          >
            <p className="text-sm text-muted">{text}</p>
          </Card>
        ))}
      </div>
    </>
  );
}
