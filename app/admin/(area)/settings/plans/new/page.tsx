import type { Metadata } from "next";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { PlanForm } from "@/app/admin/(area)/settings/plans/_components/plan-form";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "New plan" };

export default async function NewPlan() {
  const session = await requireAdminSession(adminPaths.newPlan());
  const flash = await consumeFlash(db(), session.sessionId);
  return (
    <>
      <SettingsHeader title="New plan" lead="Once it is stored, you can assign products to it." />
      <FlashNotice flash={flash} />
      <PlanForm plan={null} flash={flash} />
    </>
  );
}
