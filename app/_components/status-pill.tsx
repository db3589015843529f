"use client";

import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  type LucideIcon,
} from "lucide-react";
import { classNames } from "./class-names";

/**
 * Every state that a pill can show, with its style: of the service and its components, slots, models, keys and trading
 * clients.
 */
const STATES = {
  ok: { icon: CircleCheck, className: "text-up", word: "Operational" },
  online: { icon: CircleCheck, className: "text-up", word: "Online" },
  active: { icon: CircleCheck, className: "text-up", word: "Active" },
  degraded: { icon: CircleAlert, className: "text-warn", word: "Degraded" },
  delayed: { icon: Clock, className: "text-warn", word: "Delayed" },
  stale: { icon: Clock, className: "text-warn", word: "Stale" },
  watch: { icon: CircleAlert, className: "text-warn", word: "Watch" },
  drifting: { icon: CircleAlert, className: "text-warn", word: "Drifting" },
  drifted: { icon: CircleAlert, className: "text-danger", word: "Drifted" },
  expired: { icon: Clock, className: "text-warn", word: "Expired" },
  suspended: { icon: CirclePause, className: "text-warn", word: "Suspended" },
  down: { icon: CircleX, className: "text-danger", word: "Down" },
  offline: { icon: CircleX, className: "text-danger", word: "Offline" },
  revoked: { icon: CircleX, className: "text-muted", word: "Revoked" },
  never: { icon: CircleDashed, className: "text-muted", word: "Never seen" },
  insufficient: { icon: CircleDashed, className: "text-muted", word: "Not enough data" },
  unknown: { icon: CircleDashed, className: "text-muted", word: "Unknown" },
} satisfies Record<string, { icon: LucideIcon; className: string; word: string }>;

export type StatusState = keyof typeof STATES;

/** A state as colour, icon and word together. `label` replaces the usual word. */
export function StatusPill({ state, label }: { state: StatusState; label?: string }) {
  const { icon: Icon, className, word } = STATES[state];
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1.5 align-middle text-sm font-medium whitespace-nowrap",
        className,
      )}
    >
      <Icon aria-hidden="true" className="size-4" />
      {label ?? word}
    </span>
  );
}
