import { CircleAlert, CircleCheck, CircleX } from "lucide-react";
import { classNames } from "@/app/_components/class-names";
import { reasonSentence } from "@/lib/health/health-reason";
import type { StatusPage } from "@/lib/health/read-status-page";
import type { IncidentSeverity } from "@/lib/vocabulary";

const STYLES = {
  ok: {
    icon: CircleCheck,
    className: "border-up/30 bg-up-soft",
    mark: "text-up",
    title: "Signals are delivered normally.",
  },
  partly: {
    icon: CircleAlert,
    className: "border-warn/30 bg-warn-soft",
    mark: "text-warn",
    title: "Signals are delivered, but some components have problems.",
  },
  unknown: {
    icon: CircleAlert,
    className: "border-warn/30 bg-warn-soft",
    mark: "text-warn",
    title: "The state of the service is unknown.",
  },
  reported: {
    icon: CircleAlert,
    className: "border-warn/30 bg-warn-soft",
    mark: "text-warn",
    title: "The operator reports an incident.",
  },
  reportedDown: {
    icon: CircleX,
    className: "border-danger/30 bg-danger-soft",
    mark: "text-danger",
    title: "The operator reports an outage.",
  },
  silent: {
    icon: CircleAlert,
    className: "border-warn/30 bg-warn-soft",
    mark: "text-warn",
    title: "No signals at the moment.",
  },
  degraded: {
    icon: CircleAlert,
    className: "border-warn/30 bg-warn-soft",
    mark: "text-warn",
    title: "The service is degraded.",
  },
  down: {
    icon: CircleX,
    className: "border-danger/30 bg-danger-soft",
    mark: "text-danger",
    title: "The service is down.",
  },
} as const;

const MEANS = {
  ok: "Every component works and fresh signals are delivered.",
  partly: "Fresh signals are delivered.",
  unknown: "The database did not answer every check in time. This page tries again automatically.",
  reported: "The automatic checks may not see it. Read the incident below.",
  reportedDown: "Do not rely on signals until this changes. Read the incident below.",
  silent: "Requests are answered, but there are no signals.",
  degraded:
    "Requests are answered, but some signals are older than they should be. Stale signals are marked; do not follow them.",
  down: "Do not rely on signals until this changes. Trade reports can be sent again later; nothing is lost.",
} as const;

type BannerProps = Pick<StatusPage, "health" | "troubled"> & {
  /** Open incidents that the operator wrote. */
  posted: readonly { title: string; severity: IncidentSeverity }[];
};

/** The current state with its reasons. */
export function Banner({ health, troubled, posted }: BannerProps) {
  // Before the first signal every active slot counts as stale, but no old signal is shown. The banner then says that
  // there are no signals.
  const isSilent =
    health.reasons.length > 0 &&
    health.reasons.every(
      ({ code }) =>
        code === "no_active_slots" || (code === "all_slots_stale" && health.lastPrediction === null),
    );
  const measured = isSilent ? "silent" : health.status === "ok" ? stateOfComponents(troubled) : health.status;
  const reported = posted.some(({ severity }) => severity === "down") ? "reportedDown" : "reported";
  // The service's own measurement takes precedence over an operator's incident of the same severity.
  const state =
    posted.length > 0 &&
    (measured === "ok" ||
      measured === "partly" ||
      measured === "unknown" ||
      ((measured === "degraded" || measured === "silent") && reported === "reportedDown"))
      ? reported
      : measured;
  const measuredReasons =
    health.reasons.length > 0
      ? health.reasons.map(reasonSentence)
      : (troubled ?? []).map(({ name, status, reason }) => `${name}: ${reason ?? status}.`);
  const reasons = [...posted.map(({ title }) => title), ...measuredReasons];
  const { icon: Icon, className, mark, title } = STYLES[state];
  return (
    <section
      aria-label="State now"
      className={classNames("flex gap-4 rounded-lg border p-5 sm:p-6", className)}
    >
      <Icon aria-hidden="true" className={classNames("mt-0.5 size-6 shrink-0", mark)} />
      <div className="min-w-0">
        <h2 className="text-lg">{title}</h2>
        <p className="mt-1 text-muted">{MEANS[state]}</p>
        {reasons.length > 0 && (
          <ul className="mt-3 space-y-1 text-sm">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function stateOfComponents(troubled: StatusPage["troubled"]): "ok" | "partly" | "unknown" {
  if (troubled === null) return "unknown";
  return troubled.length > 0 ? "partly" : "ok";
}
