"use client";

import { useEffect, useRef, useState } from "react";

interface Reference {
  destroy(): void;
}

/** The functions of the script that are used here. */
interface ReferenceScript {
  createApiReference(element: Element, configuration: Record<string, unknown>): Reference;
}

/** The site's own colours and type, in the names that the script uses. */
const PALETTE = `
.light-mode, .dark-mode {
  --scalar-background-1: var(--color-paper);
  --scalar-background-2: var(--color-raised);
  --scalar-background-3: var(--color-sunken);
  --scalar-background-accent: var(--color-accent-soft);
  --scalar-color-1: var(--color-ink);
  --scalar-color-2: var(--color-muted);
  --scalar-color-3: var(--color-faint);
  --scalar-color-accent: var(--color-accent);
  --scalar-border-color: var(--color-line);
  --scalar-color-green: var(--color-up);
  --scalar-color-red: var(--color-danger);
  --scalar-color-orange: var(--color-down);
  --scalar-color-yellow: var(--color-warn);
  --scalar-color-blue: var(--color-accent);
  --scalar-color-purple: var(--color-accent);
  --scalar-button-1: var(--color-ink);
  --scalar-button-1-color: var(--color-paper);
  --scalar-button-1-hover: var(--color-muted);
  --scalar-font: var(--font-sans);
  --scalar-font-code: var(--font-mono);
  --scalar-sidebar-background-1: var(--color-paper);
  --scalar-sidebar-color-1: var(--color-ink);
  --scalar-sidebar-color-2: var(--color-muted);
  --scalar-sidebar-border-color: var(--color-line);
  --scalar-sidebar-item-hover-background: var(--color-sunken);
  --scalar-sidebar-item-active-background: var(--color-sunken);
  --scalar-sidebar-color-active: var(--color-ink);
  --scalar-sidebar-search-background: var(--color-raised);
  --scalar-sidebar-search-border-color: var(--color-line);
  --scalar-sidebar-search-color: var(--color-muted);
  --scalar-custom-header-height: 64px;
}`;

/** Nothing is fetched from other hosts, nothing is sent to them, and no hosted client is offered. */
const SETTINGS = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: "never",
  proxyUrl: "",
  layout: "modern",
  theme: "none",
  customCss: PALETTE,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
};

/** Whether the page is dark at the moment, by the reader's choice or the device's. */
function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Draws the description found at `description` with the script found at `script`. Both are addresses on this site. */
export function ApiReference({ description, script }: { description: string; script: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let reference: Reference | null = null;
    let left = false;
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ script).then(
      (loaded: ReferenceScript) => {
        if (left || !place.current) return;
        reference = loaded.createApiReference(place.current, {
          ...SETTINGS,
          url: description,
          forceDarkModeState: isDark() ? "dark" : "light",
        });
      },
      () => setFailed(true),
    );
    return () => {
      left = true;
      reference?.destroy();
    };
  }, [description, script]);

  return (
    <div className="min-h-dvh border-t">
      <div ref={place} />
      {failed && (
        <p role="alert" className="mx-auto max-w-6xl px-4 py-10 sm:px-6">
          The reference could not be loaded. Its description is still at{" "}
          <a href={description} className="link">
            {description}
          </a>
          .
        </p>
      )}
      <noscript>
        <p className="mx-auto max-w-6xl px-4 py-10 sm:px-6">
          The reference needs JavaScript. The description itself does not:{" "}
          <a href={description} className="link">
            {description}
          </a>
        </p>
      </noscript>
    </div>
  );
}
