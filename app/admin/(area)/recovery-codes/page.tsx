import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CopyButton } from "@/app/_components/copy-button";
import { PageHeader } from "@/app/_components/page-header";
import { db } from "@/db/client";
import { roleForAction, roleIncludes } from "@/lib/access/people/roles";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Recovery codes" };

/** The recovery codes after an accepted invitation, or new ones, shown once. */
export default async function RecoveryCodes() {
  const session = await requireAdminSession(adminPaths.recoveryCodes());
  const flash = await consumeFlash(db(), session.sessionId);
  if (flash?.kind !== "recovery-codes") redirect(adminPaths.overview());
  return (
    <>
      <PageHeader
        title="Your recovery codes"
        lead={`Each works once, in place of the authenticator. They are shown only now: keep them apart from the authenticator. ${
          roleIncludes(session.role, roleForAction("people.new_codes"))
            ? "If you lose them, make new ones under Settings, People."
            : "If you lose them, ask an owner for a new authenticator: you get new codes with it."
        }`}
      />
      <div className="max-w-xl">
        <Card>
          <ol className="grid gap-2 font-mono text-sm sm:grid-cols-2">
            {flash.codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ol>
          <div className="mt-6 flex flex-wrap items-center gap-3">
            <CopyButton text={flash.codes.join("\n")} what="the recovery codes" />
            <LinkButton href={adminPaths.overview()} variant="primary">
              I have saved them
            </LinkButton>
          </div>
        </Card>
      </div>
    </>
  );
}
