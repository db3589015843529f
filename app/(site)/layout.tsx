import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { Logo } from "@/app/_components/logo";
import { SiteFooter } from "@/app/_components/site-footer";
import { SiteHeader } from "@/app/_components/site-header";
import { SkipLink } from "@/app/_components/skip-link";
import { parseTheme, THEME_COOKIE } from "@/app/_components/theme";
import { ThemeSwitch } from "@/app/_components/theme-switch";
import { paths } from "@/lib/paths";
import { brand } from "@/lib/runtime/brand";

const ENTRIES = [
  { href: paths.record(), label: "Record" },
  { href: paths.plans(), label: "Plans" },
  { href: paths.docs(), label: "Docs" },
  { href: paths.status(), label: "Status" },
];

const FOOTER = [
  {
    title: "Service",
    entries: [
      { href: paths.record(), label: "Record" },
      { href: paths.verify(), label: "Check it yourself" },
      { href: paths.plans(), label: "Plans" },
      { href: paths.status(), label: "Status" },
      { href: paths.changelog(), label: "Changelog" },
      { href: paths.login(), label: "Sign in" },
    ],
  },
  {
    title: "Documentation",
    entries: [
      { href: paths.docs(), label: "Quick start" },
      { href: paths.docs("metatrader"), label: "MetaTrader" },
      { href: paths.docs("errors"), label: "Errors" },
      { href: paths.docs("reference"), label: "API reference" },
    ],
  },
  {
    title: "For programs",
    entries: [
      { href: paths.docs("ea-kit"), label: "EA kit" },
      { href: paths.openapi(), label: "OpenAPI" },
      { href: paths.statusFeed(), label: "Status feed" },
    ],
  },
  {
    title: "Small print",
    entries: [
      { href: paths.terms(), label: "Terms" },
      { href: paths.privacy(), label: "Privacy" },
      { href: paths.imprint(), label: "Imprint" },
      { href: paths.risk(), label: "Risk" },
    ],
  },
];

const RISK =
  "Trading currencies, metals and crypto with leverage can lose more than you expect, up to everything you put in. Signals are statistical statements about past patterns, not advice, and past results say little about future ones.";

export default async function SiteLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <>
      <SkipLink />
      <SiteHeader
        home={{ href: paths.home(), label: `${brand().name}, home` }}
        logo={<Logo />}
        entries={ENTRIES}
        signIn={{ href: paths.login(), label: "Sign in" }}
      />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
      <SiteFooter logo={<Logo />} groups={FOOTER} risk={RISK}>
        <ThemeSwitch theme={theme} />
      </SiteFooter>
    </>
  );
}
