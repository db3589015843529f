import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { ActionForm } from "@/app/admin/_components/allowed";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { readNoticeDays } from "@/lib/outbound/mail/notice-days";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Settings" };

const ROOMS = [
  {
    href: adminPaths.brand(),
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
    text: "When the service counts as late or down, and how often its models are trained.",
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
  const [flash, noticeDays] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    readNoticeDays(db()),
  ]);
  const { values, errors } = formState(flash, "settings.notice_days");
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
      <Card
        className="mt-6 max-w-3xl"
        title="End of access"
        lead="How many days before it ends a subscriber is mailed, once for each end; the portal shows it from the first on."
      >
        <ActionForm
          needs="settings.notice_days"
          action={adminPaths.saveNoticeDays()}
          className="flex flex-wrap items-end gap-4"
        >
          <TextInput
            label="Days before"
            name="days"
            required
            maxLength={60}
            defaultValue={values.days ?? noticeDays.join(", ")}
            error={errors.days}
          />
          <Button type="submit">Save</Button>
        </ActionForm>
      </Card>
    </>
  );
}
