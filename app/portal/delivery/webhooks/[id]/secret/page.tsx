import { redirect } from "next/navigation";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { PageHeader } from "@/app/_components/page-header";
import { SecretOnce } from "@/app/_components/secret-once";
import { docsCodeBlock } from "@/app/(site)/docs/_text/pages";
import { endpointIdOrZero } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { paths } from "@/lib/paths";

export const metadata = { title: "Webhook secret" };

/** The example from the documentation that is shown next to the secret. */
const RECEIVER = "Node: receive.mjs";

/** Shows an endpoint's secret once; a reload of this page shows nothing. */
export default async function SecretPage({ params }: { params: Promise<{ id: string }> }) {
  const subscriber = await requireSubscriber();
  const endpointId = endpointIdOrZero(await params);
  const flash = await consumeFlash(db(), subscriber.flashSession);
  if (flash?.kind !== "webhook-secret" || flash.endpointId !== endpointId)
    redirect(paths.portalWebhook(endpointId));
  return (
    <>
      <PageHeader
        title={flash.isNew ? "The endpoint is ready" : "The new secret"}
        lead={
          flash.isNew
            ? "Each delivery is signed with this secret, so that your server can recognise ours."
            : "For 24 hours deliveries are signed with both secrets. Then the old one ends."
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card title="Save it now">
          <SecretOnce
            name="secret"
            secret={flash.secret}
            storage="We keep it encrypted, to sign with, and never show it again."
            continueHref={paths.portalWebhook(endpointId)}
            continueLabel="Done"
          />
        </Card>
        <Card title="Verify with it">
          <CodeBlock name={RECEIVER} code={docsCodeBlock("webhooks-out", RECEIVER)} />
        </Card>
      </div>
    </>
  );
}
