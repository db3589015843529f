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

/** Every state of a part of the service, a slot or a trading client, with its style. */
const STATES = {
  ok: { icon: CircleCheck, look: "text-up", word: "Operational" },
  online: { icon: CircleCheck, look: "text-up", word: "Online" },
  active: { icon: CircleCheck, look: "text-up", word: "Active" },
  degraded: { icon: CircleAlert, look: "text-warn", word: "Degraded" },
  delayed: { icon: Clock, look: "text-warn", word: "Delayed" },
  stale: { icon: Clock, look: "text-warn", word: "Stale" },
  watch: { icon: CircleAlert, look: "text-warn", word: "Watch" },
  drifting: { icon: CircleAlert, look: "text-warn", word: "Drifting" },
  drifted: { icon: CircleAlert, look: "text-danger", word: "Drifted" },
  expired: { icon: Clock, look: "text-warn", word: "Expired" },
  suspended: { icon: CirclePause, look: "text-warn", word: "Suspended" },
  down: { icon: CircleX, look: "text-danger", word: "Down" },
  offline: { icon: CircleX, look: "text-danger", word: "Offline" },
  revoked: { icon: CircleX, look: "text-muted", word: "Revoked" },
  never: { icon: CircleDashed, look: "text-muted", word: "Never seen" },
  insufficient: { icon: CircleDashed, look: "text-muted", word: "Not enough data" },
  unknown: { icon: CircleDashed, look: "text-muted", word: "Unknown" },
} satisfies Record<string, { icon: LucideIcon; look: string; word: string }>;

export type StatusState = keyof typeof STATES;

/** A state as colour, icon and word together. `label` replaces the usual word. */
export function StatusPill({ state, label }: { state: StatusState; label?: string }) {
  const { icon: Icon, look, word } = STATES[state];
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1.5 align-middle text-sm font-medium whitespace-nowrap",
        look,
      )}
    >
      <Icon aria-hidden="true" className="size-4" />
      {label ?? word}
    </span>
  );
}
