import {
  ChartCandlestick,
  Filter,
  Gauge,
  KeyRound,
  ListChecks,
  Plug,
  ReceiptText,
  Send,
  Settings,
} from "lucide-react";
import type { Metadata } from "next";
import { cookies } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { AppShell } from "@/app/_components/app-shell";
import { Logo } from "@/app/_components/logo";
import { SimulatedMarketBanner } from "@/app/_components/simulated-mark";
import { parseTheme, THEME_COOKIE } from "@/app/_components/theme";
import { UnsentDialog } from "@/app/_components/unsent-dialog";
import { db } from "@/db/client";
import { listSubscriptionsOfPerson } from "@/db/queries/subscriptions";
import { isDemoAccess } from "@/lib/auth/demo-access";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { isDemoHistoryGrowing } from "@/lib/health/is-demo-history-growing";
import { paths } from "@/lib/paths";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { readLiveState } from "@/lib/subscribers/live-state";
import { MINUTE_MS } from "@/lib/time";
import { PortalAccountMenu } from "./_components/account-menu";
import { LiveScript, OutdatedPageNotice } from "./_components/live";
import { AdminViewBanner } from "./_components/view-banner";

export async function generateMetadata(): Promise<Metadata> {
  await connection();
  return { title: { default: "Portal", template: `%s | ${brand().name}` }, robots: { index: false } };
}

/** Navigation entries. With a try-out key only those with `tryOut` are shown. */
const ENTRIES = [
  { href: paths.portal(), label: "Overview", icon: <Gauge aria-hidden="true" />, exact: true, tryOut: true },
  {
    href: paths.portalSignals(),
    label: "Signals",
    icon: <ChartCandlestick aria-hidden="true" />,
    tryOut: true,
  },
  { href: paths.portalResults(), label: "Positions", icon: <ListChecks aria-hidden="true" /> },
  { href: paths.portalRecord(), label: "My record", icon: <Filter aria-hidden="true" /> },
  { href: paths.portalKey(), label: "Key", icon: <KeyRound aria-hidden="true" />, tryOut: true },
  { href: paths.portalPayments(), label: "Payments", icon: <ReceiptText aria-hidden="true" /> },
  { href: paths.portalDelivery(), label: "Delivery", icon: <Send aria-hidden="true" /> },
  { href: paths.portalSetup(), label: "Setup", icon: <Plug aria-hidden="true" />, tryOut: true },
  { href: paths.portalSettings(), label: "Settings", icon: <Settings aria-hidden="true" />, tryOut: true },
];

/**
 * The frame of the portal. Each page checks the session as well, because Next renders pages and layouts independently
 * of each other.
 */
export default async function PortalLayout({ children }: { children: ReactNode }) {
  const subscriber = await requireSubscriber({ tryOut: true });
  const [live, own, jar] = await Promise.all([
    readLiveState(subscriber.subscriptionId),
    listSubscriptionsOfPerson(db(), subscriber),
    cookies(),
  ]);
  // The positions of a new demo account are made while its first page is open.
  const isNewDemo = isDemoAccess(subscriber) && Date.now() - subscriber.keyCreatedAt.getTime() < MINUTE_MS;
  const isGrowing = isNewDemo || (await isDemoHistoryGrowing());
  return (
    <AppShell
      area="Portal"
      logo={<Logo />}
      homeHref={paths.portal()}
      entries={subscriber.delayCandles === null ? ENTRIES : ENTRIES.filter(({ tryOut }) => tryOut)}
      account={
        <PortalAccountMenu
          subscriber={subscriber}
          hasOthers={own.length > 1 && subscriber.viewedUntil === null}
          theme={parseTheme(jar.get(THEME_COOKIE)?.value)}
        />
      }
      banner={
        subscriber.viewedUntil !== null || env().marketFeed === "demo" ? (
          <div className="space-y-4">
            {subscriber.viewedUntil !== null && (
              <AdminViewBanner subscriber={subscriber} until={subscriber.viewedUntil} />
            )}
            {env().marketFeed === "demo" && <SimulatedMarketBanner isGrowing={isGrowing} />}
          </div>
        ) : undefined
      }
    >
      <OutdatedPageNotice />
      <LiveScript state={live} />
      {children}
      <UnsentDialog
        ended="Your session or your access has ended, or another subscription is open in this browser."
        signIn={paths.chooseSubscription()}
      />
    </AppShell>
  );
}
