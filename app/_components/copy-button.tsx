"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { buttonClass } from "./button";

const SHOW_RESULT_MS = 2000;

type Outcome = "idle" | "copied" | "failed";

const WORD: Record<Outcome, string> = { idle: "Copy", copied: "Copied", failed: "Press Ctrl+C" };

/** Puts a text on the clipboard and says whether that worked. `what` completes "Copy ..." for those who listen. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<Outcome>("idle");

  useEffect(() => {
    if (outcome === "idle") return;
    const timer = setTimeout(() => setOutcome("idle"), SHOW_RESULT_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // No permission, or a page without TLS: the text stays selectable beside the button.
      setOutcome("failed");
    }
  }

  return (
    <button type="button" onClick={copy} className={buttonClass("secondary", "small")}>
      {outcome === "copied" ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      <span aria-live="polite">{WORD[outcome]}</span>
      <span className="sr-only"> {what}</span>
    </button>
  );
}
