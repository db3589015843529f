"use client";

import type { ComponentProps } from "react";
import PageError from "./error";
import "./globals.css";

/** Shown when the root layout itself failed. */
export default function GlobalError(props: ComponentProps<typeof PageError>) {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong</title>
        <PageError {...props} />
      </body>
    </html>
  );
}
