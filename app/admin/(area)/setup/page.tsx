import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { PageHeader } from "@/app/_components/page-header";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { configuredPaymentPlatforms } from "@/app/admin/_components/configured-platforms";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SetupList } from "@/app/admin/_components/setup-list";
import { db } from "@/db/client";
import { readSetup } from "@/lib/admin/setup/read-setup";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Setup checklist" };

/** The steps from a fresh installation to selling access. */
export default async function Setup() {
  const session = await requireAdminSession(adminPaths.setup());
  const [{ steps, isHidden }, flash] = await Promise.all([
    readSetup(new Date(), await configuredPaymentPlatforms()),
    consumeFlash(db(), session.sessionId),
  ]);
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <>
      <PageHeader
        title="Setup checklist"
        lead={`${done} of ${steps.length} steps done. A step is ticked when the data shows it.`}
      />
      <FlashNotice flash={flash} />
      <Card
        flush
        footer={
          done < steps.length && (
            <ActionForm
              needs={isHidden ? "setup.show" : "setup.hide"}
              action={adminPaths.setupForm(isHidden ? "show" : "hide")}
            >
              <Button type="submit" size="small">
                {isHidden ? "Show on the overview" : "Hide from the overview"}
              </Button>
            </ActionForm>
          )
        }
      >
        <SetupList steps={steps} />
      </Card>
    </>
  );
}
