"use client";

import { useEffect, useRef, useState } from "react";

interface Reference {
  destroy(): void;
}

/** What the script offers, as far as it is used here. */
interface ReferenceScript {
  createApiReference(element: Element, configuration: Record<string, unknown>): Reference;
}

/** Nothing is fetched from other hosts, nothing is sent to them, and no hosted client is offered. */
const SETTINGS = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: "never",
  proxyUrl: "",
  layout: "modern",
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
