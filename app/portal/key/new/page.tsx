import { redirect } from "next/navigation";
import { Card } from "@/app/_components/card";
import { CodeTabs } from "@/app/_components/code-tabs";
import { PageHeader } from "@/app/_components/page-header";
import { SecretOnce } from "@/app/_components/secret-once";
import { LiveCheck } from "@/app/portal/_components/live-check";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { DEMO_KEY_HOURS } from "@/lib/auth/open-demo";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const metadata = { title: "Your new key" };

/** Shows a new key, once: the next time this page has nothing to show. */
export default async function NewKeyPage() {
  const subscriber = await requireSubscriber();
  const flash = await consumeFlash(db(), subscriber.sessionId);
  if (flash?.kind === "first-key") return <DemoKey apiKey={flash.apiKey} />;
  if (flash?.kind !== "own-key") redirect(paths.portalKey());

  return (
    <>
      <PageHeader
        title="Your new key"
        lead="The old key has stopped working. Your EA waits until it has this one."
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
            <li>Check that Algo Trading is on. The EA restarts and calls within a minute.</li>
          </ol>
          <div className="mt-6">
            <LiveCheck since={flash.rotatedAt} waiting="Waiting for the first call with the new key" />
          </div>
        </Card>
      </div>
    </>
  );
}

/** The first minute of a visitor: a key, and the line that uses it. */
function DemoKey({ apiKey }: { apiKey: string }) {
  const scan = `${env().baseUrl}/api/scan`;
  return (
    <>
      <PageHeader
        title="Your demo key"
        lead={`It works for ${DEMO_KEY_HOURS} hours and sees every slot of the simulated market. You are signed in to the portal as its subscriber.`}
      />
      <div className="grid gap-6 lg:grid-cols-2">
        <Card title="Your first call">
          <p className="mb-4 text-sm text-muted">
            Paste this into a terminal. It asks for the newest signal of each slot.
          </p>
          <CodeTabs
            what="your first call"
            code={{
              curl: `curl -sS "${scan}" \\\n  -H "X-API-Key: ${apiKey}"`,
              powershell: `(Invoke-RestMethod "${scan}" \`\n  -Headers @{ "X-API-Key" = "${apiKey}" }).items |\n  Format-Table symbol, timeframe, signal, confidence`,
            }}
          />
          <div className="mt-6">
            <LiveCheck waiting="Waiting for your first call" />
          </div>
        </Card>
        <Card title="Save it now">
          <SecretOnce
            name="API key"
            secret={apiKey}
            continueHref={paths.portal()}
            continueLabel="To the portal"
          />
        </Card>
      </div>
    </>
  );
}
