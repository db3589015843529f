import type { ReactNode } from "react";
import "./globals.css";

export const metadata = {
  title: { default: "Signal Delivery Service", template: "%s | Signal Delivery Service" },
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
