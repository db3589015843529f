import { KeyRound } from "lucide-react";
import type { Metadata } from "next";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { SecretOnce } from "@/app/_components/secret-once";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { TryOutBadge } from "@/app/admin/(area)/subscribers/_components/try-out-badge";
import { db } from "@/db/client";
import { findSubscriberWithKeys } from "@/db/queries/subscribers";
import { parseIdOrNull } from "@/lib/admin/form-fields";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { includesTradingClient } from "@/lib/runtime/plan-features";

export const metadata: Metadata = { title: "New key" };

/** A new key, shown once. */
export default async function NewKey({ params }: { params: Promise<{ id: string }> }) {
  const id = parseIdOrNull((await params).id);
  if (id === null) return <MissingPage />;
  const session = await requireAdminSession(adminPaths.subscriberKey(id));
  const found = await findSubscriberWithKeys(db(), id);
  if (!found) return <MissingPage />;
  const { email } = found.subscription;
  const flash = await consumeFlash(db(), session.sessionId);
  const [newest] = found.keys;
  const fresh = flash?.kind === "key" && found.keys.some((key) => key.keyId === flash.keyId) ? flash : null;
  return (
    <>
      <PageHeader
        title={fresh ? "The new key" : "Key already shown"}
        lead={
          <>
            For {found.subscription.userName}
            {email !== null && `, mailed to ${email} as well`}.{" "}
            <TryOutBadge delayCandles={newest?.delayCandles ?? null} />
          </>
        }
      />
      <div className="max-w-2xl space-y-6">
        {fresh ? (
          <>
            <Card title="API key">
              <SecretOnce
                name="API key"
                secret={fresh.apiKey}
                continueHref={adminPaths.subscriber(id)}
                continueLabel="Open subscriber"
              />
            </Card>
            {newest !== undefined && includesTradingClient(newest) && (
              <Card
                title="Settings of the trading client"
                lead="The EA needs both. The address must also be allowed under Tools, Options, Expert Advisors."
              >
                <CodeBlock
                  name="Inputs of the EA"
                  code={JSON.stringify({ InpApiUrl: env().baseUrl, InpApiKey: fresh.apiKey }, null, 2)}
                />
              </Card>
            )}
          </>
        ) : (
          <Card>
            <EmptyState
              icon={KeyRound}
              title="This key can no longer be shown"
              actions={<LinkButton href={adminPaths.subscriber(id)}>Open subscriber</LinkButton>}
            >
              This page shows a key once. After that, and once its mail is sent, only its fingerprint and its
              first and last four characters are kept. If it was not saved, rotate it on the subscriber’s
              page.
            </EmptyState>
          </Card>
        )}
      </div>
    </>
  );
}
