import { redirect } from "next/navigation";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { CodeTabs } from "@/app/_components/code-tabs";
import { PageHeader } from "@/app/_components/page-header";
import { SecretOnce } from "@/app/_components/secret-once";
import { ConnectionCheck } from "@/app/portal/_components/live";
import { db } from "@/db/client";
import { DEMO_KEY_HOURS } from "@/lib/auth/demo-access";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { usesEa } from "@/lib/runtime/plan-features";
import { readLastSeenAt } from "@/lib/subscribers/account";
import { readLiveState } from "@/lib/subscribers/live-state";

export const metadata = { title: "Your new key" };

/** Shows a new key once; a reload of this page shows nothing. */
export default async function NewKeyPage() {
  const subscriber = await requireSubscriber({ tryOut: true });
  const flash = await consumeFlash(db(), subscriber.flashSession, { showsFirstKey: true });
  if (flash?.kind === "first-key") return <DemoKey apiKey={flash.apiKey} />;
  if (flash?.kind !== "own-key") redirect(paths.portalKey());
  const [seenAt, live] = await Promise.all([
    readLastSeenAt(subscriber.subscriptionId),
    readLiveState(subscriber.subscriptionId),
  ]);
  const hasEa = usesEa(subscriber, seenAt);

  return (
    <>
      <PageHeader
        title="Your new key"
        lead={`The old key has stopped working. ${hasEa ? "Your EA waits until it has this one." : "Telegram messages continue without it."}`}
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
        {hasEa ? (
          <Card title="Paste it into MetaTrader">
            <ol className="list-decimal space-y-3 pl-5 text-sm marker:text-faint">
              <li>Right-click the chart on which the EA runs, choose Expert Advisors, then Properties.</li>
              <li>
                On the tab Inputs, double-click the value of <code className="font-mono">InpApiKey</code>,
                paste the new key and confirm with OK.
              </li>
              <li>Check that Algo Trading is on. The EA restarts and calls within a minute.</li>
            </ol>
            <div className="mt-6">
              <ConnectionCheck
                state={live}
                since={flash.rotatedAt}
                waiting="Waiting for the first call with the new key"
              />
            </div>
          </Card>
        ) : (
          <Card title="Where it goes">
            <p className="text-sm text-muted">
              You do not need it for Telegram. Your own programs send it in the header{" "}
              <code className="font-mono">X-API-Key</code>:{" "}
              <a className="link" href={paths.docs()}>
                Quick start
              </a>
              .
            </p>
          </Card>
        )}
      </div>
    </>
  );
}

/** A demo key and a command that uses it. */
function DemoKey({ apiKey }: { apiKey: string }) {
  const scan = `${env().baseUrl}/api/scan`;
  return (
    <>
      <PageHeader
        title="Your demo key"
        lead={`It works for ${DEMO_KEY_HOURS} hours and gets every signal of the simulated market. It is shown only once.`}
      />
      <div className="space-y-6">
        <Card title="Key" actions={<LinkButton href={paths.portal()}>Back to the overview</LinkButton>}>
          <CodeBlock name="API key" code={apiKey} />
        </Card>
        <Card
          title="Your first call"
          lead="Paste this into a terminal. It asks for the newest signal of each slot."
        >
          <CodeTabs
            what="your first call"
            code={{
              curl: `curl -sS "${scan}" \\\n  -H "X-API-Key: ${apiKey}"`,
              powershell: `(Invoke-RestMethod "${scan}" \`\n  -Headers @{ "X-API-Key" = "${apiKey}" }).items |\n  Format-Table symbol, timeframe, signal, confidence`,
            }}
          />
          <p className="mt-4 text-sm text-muted">
            Each call is listed under{" "}
            <a href={paths.portalKey()} className="link">
              Key, recent requests
            </a>
            . Calls of the simulated EA are not.
          </p>
        </Card>
      </div>
    </>
  );
}
