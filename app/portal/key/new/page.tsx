import { redirect } from "next/navigation";
import { Card } from "@/app/_components/card";
import { PageHeader } from "@/app/_components/page-header";
import { SecretOnce } from "@/app/_components/secret-once";
import { LiveCheck } from "@/app/portal/_components/live-check";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { paths } from "@/lib/paths";

export const metadata = { title: "Your new key" };

/** Shows a new key, once: the next time this page has nothing to show. */
export default async function NewKeyPage() {
  const subscriber = await requireSubscriber();
  const flash = await consumeFlash(db(), subscriber.sessionId);
  if (flash?.kind !== "own-key") redirect(paths.portalKey());

  return (
    <>
      <PageHeader
        title="Your new key"
        lead="The former key has stopped working. Your EA stands still until it has this one."
      />
      <div className="grid gap-6 lg:grid-cols-2">
        <Card title="Save it now">
          <SecretOnce
            name="API key"
            secret={flash.apiKey}
            continueHref={paths.portalKey()}
            continueLabel="Done"
          />
        </Card>
        <Card title="Paste it into MetaTrader 5">
          <ol className="list-decimal space-y-3 pl-5 text-sm marker:text-faint">
            <li>Right-click the chart on which the EA runs, choose Expert Advisors, then Properties.</li>
            <li>
              On the tab Inputs, double-click the value of <code className="font-mono">InpApiKey</code>, paste
              the new key and confirm with OK.
            </li>
            <li>Check that Algo Trading is on. The EA starts anew and calls within a minute.</li>
          </ol>
          <div className="mt-6">
            <LiveCheck since={flash.rotatedAt} waiting="Waiting for the first call with the new key" />
          </div>
        </Card>
      </div>
    </>
  );
}
