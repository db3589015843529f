import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { parseTheme, THEME_COOKIE, themeAttribute } from "./_components/theme";
import "./globals.css";

const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
  // The font is preloaded. If it still arrives late, the page keeps the fallback font, so that text does not move.
  display: "optional",
});

// Names of people may have letters beyond Latin-1; the browser fetches this file only when a page has such a letter.
const interExt = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter-ext",
  display: "swap",
  preload: false,
  adjustFontFallback: false,
  declarations: [
    { prop: "unicode-range", value: "U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+1E00-1E9F, U+20A0-20AB" },
  ],
});

const OFFER = "Trading signals per symbol and timeframe that your EA follows and you can check.";
const DEMO = "A demo: the market, the signals and their results are simulated.";

/** Addresses in the metadata use the configured base, never request headers. */
export async function generateMetadata(): Promise<Metadata> {
  await connection();
  const { name, logoPath } = brand();
  return {
    metadataBase: new URL(env().baseUrl),
    title: { default: name, template: `%s | ${name}` },
    description: isDemonstration() ? DEMO : OFFER,
    applicationName: name,
    ...(logoPath === null ? {} : { icons: { icon: logoPath } }),
    openGraph: { siteName: name, type: "website", locale: "en_GB" },
    twitter: { card: "summary_large_image" },
  };
}

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f8f7f4" },
    { media: "(prefers-color-scheme: dark)", color: "#0f1012" },
  ],
};

/** The operator's colours are a separate style sheet, because the Content-Security-Policy blocks inline styles. */
const coloursPath = ({ light, dark }: { light: string; dark: string }) =>
  `/brand/${light.slice(1)}-${dark.slice(1)}.css`;

/**
 * The server reads the theme from a cookie, so the page does not flash and needs no inline script, which the
 * Content-Security-Policy would block.
 */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const jar = await cookies();
  const theme = parseTheme(jar.get(THEME_COOKIE)?.value);
  const { accent } = brand();
  return (
    <html lang="en" data-theme={themeAttribute(theme)} className={`${inter.variable} ${interExt.variable}`}>
      <head>
        {/*
         * The script blocks rendering, so that no click comes before it. Browsers cache it by the hash in its file name.
         */}
        <script src={process.env.ENHANCE_JS} />
      </head>
      <body>
        {accent && <link rel="stylesheet" href={coloursPath(accent)} precedence="brand" />}
        {children}
      </body>
    </html>
  );
}
