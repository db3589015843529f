import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { CopyButton } from "@/app/_components/copy-button";
import { formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Diagnostics } from "@/app/portal/_components/diagnostics";
import { ConnectionCheck } from "@/app/portal/_components/live";
import { db } from "@/db/client";
import { listTerminals } from "@/db/queries/terminals";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { includesTradingClient, usesEa } from "@/lib/runtime/plan-features";
import { readLastSeenAt } from "@/lib/subscribers/account";
import { listDiagnostics } from "@/lib/subscribers/diagnose-ea";
import { readLiveState } from "@/lib/subscribers/live-state";
import { firstCallSnippets } from "./_components/snippets";
import { TerminalTable } from "./_components/terminal-table";

export const metadata = { title: "Setup" };

/** The setup steps up to the first call of the EA. A plan without trading clients gets the steps for Telegram instead. */
export default async function SetupPage() {
  const subscriber = await requireSubscriber({ tryOut: true });
  const { baseUrl } = env();
  const [diagnostics, seenAt, terminals, live] = await Promise.all([
    listDiagnostics(subscriber, new Date()),
    readLastSeenAt(subscriber.subscriptionId),
    listTerminals(db("heavy"), subscriber.subscriptionId),
    readLiveState(subscriber.subscriptionId),
  ]);
  // With a connected client the EA setup is shown on any plan.
  if (!usesEa(subscriber, seenAt)) return <ChatSetup baseUrl={baseUrl} />;

  return (
    <>
      <PageHeader title="Setup" lead="Connect your EA in MetaTrader: four steps, about five minutes." />
      <div className="space-y-6">
        <ConnectionCheck state={live} waiting="No call in the last five minutes" />
        {!includesTradingClient(subscriber) && (
          <Notice tone="info" title="Your plan is not meant for an EA">
            It is meant for Telegram. These steps are shown because a program has called with your key.
          </Notice>
        )}
        <Diagnostics diagnostics={diagnostics} />
        {terminals.length > 0 && (
          <Card
            title="Terminals"
            lead="Each terminal that uses this key. Positions, P/L and signals not traded of the last 30 days."
            flush
          >
            <TerminalTable rows={terminals} />
          </Card>
        )}
        <Card title="MetaTrader">
          <ol className="space-y-6">
            <Step n={1} title="Allow our address">
              <p>
                In the terminal open Tools, Options, Expert Advisors, tick “Allow WebRequest for listed URL”
                and add this address. Do this on every terminal, including one on a VPS.
              </p>
              <Value label="Address" text={baseUrl} />
            </Step>
            <Step n={2} title="Get the EA">
              <p>
                In the terminal open File, Open Data Folder. Save SignalFollower.mq5 and SignalDelivery.mqh
                into one folder under MQL5/Experts, open SignalFollower.mq5 in MetaEditor and press F7. In
                MetaTrader 4 use SignalFollower.mq4 and MQL4/Experts instead. If you use your own EA, it needs
                only two inputs and the calls below.
              </p>
              <div className="mt-3 flex flex-wrap gap-2">
                <LinkButton href={paths.eaKitFile("SignalFollower.mq5")} download size="small">
                  <Download aria-hidden="true" />
                  SignalFollower.mq5
                </LinkButton>
                <LinkButton href={paths.eaKitFile("SignalFollower.mq4")} download size="small">
                  <Download aria-hidden="true" />
                  SignalFollower.mq4
                </LinkButton>
                <LinkButton href={paths.eaKitFile("SignalDelivery.mqh")} download size="small">
                  <Download aria-hidden="true" />
                  SignalDelivery.mqh
                </LinkButton>
              </div>
            </Step>
            <Step n={3} title="Put it on a chart and fill in two inputs">
              <p>
                Drag SignalFollower from the Navigator onto a chart: its symbol and timeframe are the slot
                that it follows. On the tab Inputs double-click the values of these two. To follow every slot
                of your plan from one chart, with loss limits, use{" "}
                <a className="link" href={paths.docs("ea-kit", "trader")}>
                  SignalTrader
                </a>
                .
              </p>
              <Value label="InpApiUrl" text={baseUrl} />
              <p className="mt-3">
                <code className="font-mono">InpApiKey</code> is your key,{" "}
                <code className="font-mono">{subscriber.hint}</code>. It was shown once, when it was created
                {subscriber.email ? " and mailed to you" : ""}. After that we kept only its fingerprint and
                its first and last four characters. Lost it?{" "}
                <a className="link" href={paths.portalKey()}>
                  Rotate it
                </a>
                .
              </p>
            </Step>
            <Step n={4} title="Switch Algo Trading on">
              <p>
                Press the Algo Trading button in the tool bar (in MetaTrader 4: AutoTrading) until it is
                green. The EA's icon on the chart turns blue (in MetaTrader 4: a smiling face). The corner of
                the chart says “connected”, and within a minute the line at the top of this page turns green.
              </p>
            </Step>
          </ol>
        </Card>
        <Card title="If it does not connect" lead="The terminal's Experts tab prints the error code.">
          <dl className="grid gap-x-10 gap-y-4 text-sm sm:grid-cols-2">
            <Remedy code="4014">
              Our address is not on the terminal's list: do step 1 on this terminal.
            </Remedy>
            <Remedy code="5200, 5201">
              The address is misspelt or cannot be reached: copy it again and check the network.
            </Remedy>
            <Remedy code="5202, 5203">
              The answer took too long or broke off: the EA tries again by itself.
            </Remedy>
            <Remedy code="HTTP 401">
              The key is wrong, rotated or expired: paste your current key into InpApiKey.
            </Remedy>
            <Remedy code="“no signal”, HTTP 403">
              The slot is not part of your plan, or your broker has another name for the symbol: set InpSymbol
              to the name you see under Signals.
            </Remedy>
            <Remedy code="HTTP 429">
              Too many requests: your limit is {formatNumber(subscriber.rateLimitPerMin)} a minute. Poll once
              a minute.
            </Remedy>
          </dl>
        </Card>
        <div className="space-y-4">
          <h2 className="text-lg">First calls</h2>
          {firstCallSnippets(baseUrl).map((snippet) => (
            <CodeBlock key={snippet.name} {...snippet} />
          ))}
        </div>
      </div>
    </>
  );
}

/** The setup of a plan whose signals are sent by Telegram. */
function ChatSetup({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <PageHeader title="Setup" lead="Get your signals in Telegram: three steps, about a minute." />
      <div className="space-y-6">
        {!hasTelegramBot() && (
          <Notice tone="warn" title="Telegram is not ready">
            The operator has not set up a bot yet, so no chat can be linked.
          </Notice>
        )}
        <Card title="Telegram">
          <ol className="space-y-6">
            <Step n={1} title="Open Delivery">
              <div className="mt-2">
                <LinkButton href={paths.portalDelivery()} variant="primary">
                  Delivery
                </LinkButton>
              </div>
            </Step>
            <Step n={2} title="Link your chat">
              <p>Choose Link Telegram, open the link, and press Start in the chat.</p>
            </Step>
            <Step n={3} title="Choose what you get">
              <p>You choose slots and quiet hours in the chat.</p>
            </Step>
          </ol>
        </Card>
        <div className="space-y-4">
          <h2 className="text-lg">Your own programs</h2>
          <p className="text-sm text-muted">
            Your key also works for the{" "}
            <a className="link" href={paths.docs("metatrader")}>
              EA in MetaTrader
            </a>{" "}
            and for calls such as these.
          </p>
          {firstCallSnippets(baseUrl).map((snippet) => (
            <CodeBlock key={snippet.name} {...snippet} />
          ))}
        </div>
      </div>
    </>
  );
}

function Step({ n, title, children }: { n: number; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[2rem_1fr] gap-x-3">
      <span
        aria-hidden="true"
        className="grid size-7 place-items-center rounded-full border text-sm font-medium tabular-nums"
      >
        {n}
      </span>
      <div className="min-w-0">
        <h3 className="leading-7">{title}</h3>
        <div className="mt-1 max-w-[68ch] text-sm text-muted">{children}</div>
      </div>
    </li>
  );
}

function Value({ label, text }: { label: string; text: string }) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 rounded-md border bg-sunken p-1.5 pl-3">
      <span className="w-full text-xs text-faint sm:w-auto">{label}</span>
      <code className="min-w-0 flex-1 basis-full font-mono text-sm break-all text-ink sm:basis-0">
        {text}
      </code>
      <CopyButton text={text} what={label} />
    </div>
  );
}

function Remedy({ code, children }: { code: string; children: ReactNode }) {
  return (
    <div>
      <dt className="font-medium tabular-nums">{code}</dt>
      <dd className="mt-0.5 text-muted">{children}</dd>
    </div>
  );
}
