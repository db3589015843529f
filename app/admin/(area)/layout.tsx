import {
  Activity,
  Boxes,
  ChartNoAxesColumn,
  CreditCard,
  Gauge,
  LogOut,
  Mail,
  Rss,
  Send,
  Settings,
  Users,
  Wrench,
} from "lucide-react";
import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { AppShell } from "@/app/_components/app-shell";
import { Button } from "@/app/_components/button";
import { Logo } from "@/app/_components/logo";
import { SimulatedMarketBanner } from "@/app/_components/simulated-mark";
import { parseTheme, THEME_COOKIE } from "@/app/_components/theme";
import { ThemeSwitch } from "@/app/_components/theme-switch";
import { UnsentDialog } from "@/app/_components/unsent-dialog";
import { SearchDialog } from "@/app/admin/_components/search/search-dialog";
import { SearchLink } from "@/app/admin/_components/search/search-link";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const metadata: Metadata = {
  title: { default: "Administration", template: "%s | Administration" },
  robots: { index: false },
};

const ENTRIES = [
  {
    href: adminPaths.overview(),
    label: "Overview",
    icon: <Gauge aria-hidden="true" />,
    exact: true,
  },
  { href: adminPaths.subscribers(), label: "Subscribers", icon: <Users aria-hidden="true" /> },
  { href: adminPaths.payments(), label: "Payments", icon: <CreditCard aria-hidden="true" /> },
  { href: adminPaths.mail(), label: "Mail", icon: <Mail aria-hidden="true" /> },
  { href: adminPaths.outbound(), label: "Delivery", icon: <Send aria-hidden="true" /> },
  { href: adminPaths.signals(), label: "Signals", icon: <ChartNoAxesColumn aria-hidden="true" /> },
  { href: adminPaths.feeds(), label: "Feeds", icon: <Rss aria-hidden="true" /> },
  { href: adminPaths.models(), label: "Models", icon: <Boxes aria-hidden="true" /> },
  { href: adminPaths.statusPage(), label: "Status page", icon: <Activity aria-hidden="true" /> },
  { href: adminPaths.settings(), label: "Settings", icon: <Settings aria-hidden="true" /> },
  { href: adminPaths.operations(), label: "Operations", icon: <Wrench aria-hidden="true" /> },
];

/**
 * The frame of the administrator's area. Each page checks the session as well, because Next renders pages and layouts
 * independently of each other.
 */
export default async function AdminLayout({ children }: { children: ReactNode }) {
  const { person, role } = await requireAdminSession();
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <AppShell
      area="Administration"
      logo={<Logo />}
      homeHref={adminPaths.overview()}
      entries={ENTRIES}
      search={<SearchLink />}
      account={
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="w-full truncate text-xs text-muted">
            {person ? `${person.name}, ${role}` : "Signed in with the secret"}
          </p>
          <form method="post" action={adminPaths.signOut()}>
            <Button type="submit" variant="quiet" size="small" className="-ml-2.5">
              <LogOut aria-hidden="true" />
              Sign out
            </Button>
          </form>
          <ThemeSwitch theme={theme} />
        </div>
      }
      banner={env().marketFeed === "demo" ? <SimulatedMarketBanner /> : undefined}
    >
      {children}
      <SearchDialog />
      <UnsentDialog ended="Your session has ended." signIn={adminPaths.signIn()} />
      <script type="module" src={process.env.ADMIN_JS} />
    </AppShell>
  );
}
