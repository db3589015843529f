import type { ReactNode } from "react";
import { classNames } from "./class-names";

export type Tone = "neutral" | "accent" | "up" | "down" | "warn" | "danger";

const TONE: Record<Tone, string> = {
  neutral: "border-line bg-sunken text-muted",
  accent: "border-accent/25 bg-accent-soft text-accent",
  up: "border-up/25 bg-up-soft text-up",
  down: "border-down/25 bg-down-soft text-down",
  warn: "border-warn/25 bg-warn-soft text-warn",
  danger: "border-danger/25 bg-danger-soft text-danger",
};

/** A short label next to a name, such as a plan, a regime or a version. */
export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1 align-middle rounded-sm border px-1.5 py-px text-xs font-medium whitespace-nowrap tabular-nums [&_svg]:size-3",
        TONE[tone],
      )}
    >
      {children}
    </span>
  );
}
