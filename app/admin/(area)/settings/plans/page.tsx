import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { ActionLink } from "@/app/admin/_components/action-controls";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { countPlanHolders, listPlans, type Plan } from "@/db/queries/plans";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Plans" };

/** The plans, with the number of keys in force of each. */
export default async function Plans() {
  const session = await requireAdminSession(adminPaths.plans());
  const [flash, plans, holders] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listPlans(db()),
    countPlanHolders(db()),
  ]);
  const columns: Column<Plan>[] = [
    {
      key: "name",
      header: "Plan",
      primary: true,
      cell: (plan) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <a href={adminPaths.plan(plan.name)} className="link">
            {plan.title}
          </a>
          {plan.name !== plan.title.toLowerCase() && <Badge>{plan.name}</Badge>}
        </span>
      ),
    },
    { key: "symbols", header: "Symbols", cell: (plan) => plan.symbols?.join(", ") ?? "all" },
    { key: "timeframes", header: "Timeframes", cell: (plan) => plan.timeframes?.join(", ") ?? "all" },
    {
      key: "rate",
      header: "Requests",
      unit: "per minute",
      align: "right",
      cell: (plan) => formatNumber(plan.rateLimitPerMin),
    },
    { key: "includes", header: "Includes", cell: includedIn },
    { key: "price", header: "On the site", cell: offerOf },
    {
      key: "holders",
      header: "Keys",
      unit: "in force",
      align: "right",
      cell: (plan) => (
        <a href={adminPaths.subscribers({ plan: plan.name, state: "active" })} className="link">
          {formatNumber(holders.get(plan.name) ?? 0)}
        </a>
      ),
    },
  ];
  return (
    <>
      <SettingsHeader
        title="Plans"
        lead="What a key of each plan may see and use. A change is in force on every server within a second."
        actions={
          <ActionLink needs="plan.save" href={adminPaths.newPlan()} variant="primary">
            <Plus aria-hidden="true" />
            New plan
          </ActionLink>
        }
      />
      <FlashNotice flash={flash} />
      <Card flush>
        <DataTable
          caption="Plans, the lowest first"
          wrap
          rows={plans}
          rowKey={(plan) => plan.name}
          columns={columns}
        />
      </Card>
    </>
  );
}

const offerOf = ({ isShown, priceText }: Plan): string =>
  isShown ? (priceText ?? "without a price") : "not offered";

function includedIn({ longPoll, stream, webhooks, telegram, tradingClient }: Plan): string {
  const parts = [
    tradingClient && "trading clients",
    longPoll && "long poll",
    stream && "stream",
    webhooks && "webhooks",
    telegram && "Telegram and Discord",
  ];
  return parts.filter(Boolean).join(", ") || "requests only";
}
