import type { Metadata } from "next";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { PlanForm } from "@/app/admin/(area)/settings/plans/_components/plan-form";
import { db } from "@/db/client";
import { listPlans } from "@/db/queries/plans";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export async function generateMetadata({ params }: { params: Promise<{ name: string }> }): Promise<Metadata> {
  return { title: `${(await params).name} · Plan` };
}

export default async function PlanPage({ params }: { params: Promise<{ name: string }> }) {
  const { name } = await params;
  const session = await requireAdminSession(adminPaths.plan(name));
  const plan = (await listPlans(db())).find((known) => known.name === name);
  if (!plan) return <MissingPage />;
  const flash = await consumeFlash(db(), session.sessionId);
  return (
    <>
      <SettingsHeader title={plan.title} lead={`The plan ${plan.name}: what its keys may see and use.`} />
      <FlashNotice flash={flash} />
      <PlanForm plan={plan} flash={flash} />
    </>
  );
}
