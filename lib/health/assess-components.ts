import type { MailQueueState } from "@/db/queries/mail-queue";
import type { OutboundQueueState } from "@/db/queries/outbound-queue";
import type { ComponentState } from "@/db/queries/probes";
import type { SlotState } from "@/db/queries/slots";
import type { QuotaStoreState } from "@/lib/access/limits/shared/shared-limiter";
import type { HealthThresholds, SlotsAssessment } from "@/lib/market/assess-slots";
import { openMinutesBetween } from "@/lib/market/calendar";
import { candleCloseAt, timeframeMinutes } from "@/lib/market/timeframes";
import { minuteInUtc, minutesBetween } from "@/lib/time";

/** A component of the service with its state and the figure that determines it. */
export type AssessedComponent = ComponentFigure & {
  /** Why the state is not `ok`; null: it is `ok`, or the reasons of the service explain it. */
  reason: string | null;
};

type ComponentFigure =
  | { name: "database" | "live" | "rate_limit"; status: ComponentState; latencyMs: number | null }
  | { name: "predictions" | "candles" | "worker"; status: ComponentState; lagMinutes: number | null }
  | { name: "mail" | "webhooks" | "telegram"; status: ComponentState; queued: number };

export interface ComponentAssessmentInput {
  assessment: SlotsAssessment;
  states: SlotState[];
  databaseLatencyMs: number;
  /** Time that a database notification took to reach this process; null: it did not arrive in time. */
  announcedMs: number | null;
  /** End of the last run of the worker's probe job; null: none has ended. */
  lastProbeAt: Date | null;
  mail: MailQueueState;
  outbound: OutboundQueueState;
  /** Whether a bot is configured; without one Telegram is not a component. */
  hasTelegram: boolean;
  /** State of the Redis that counts requests; null: none is configured, and each process counts separately. */
  quotaStore: QuotaStoreState | null;
}

const SLOW_DATABASE_MS = 1_000;
/** Minutes since the last run of the probe job, due every ten seconds, after which the worker is `degraded`. */
const WORKER_DEGRADED_MINUTES = 1;
const WORKER_DOWN_MINUTES = 3;
const MAIL_LATE_MINUTES = 10;
const WEBHOOKS_LATE_MINUTES = 2;
const TELEGRAM_LATE_MINUTES = 5;

/** Determines each component's state at `now`. Pure. */
export function assessComponents(
  facts: ComponentAssessmentInput,
  now: Date,
  thresholds: HealthThresholds,
): AssessedComponent[] {
  const { assessment, quotaStore, mail, outbound } = facts;
  const slots = candleSlots(facts.states, now, thresholds);
  const workerLag = minutesSince(facts.lastProbeAt, now);
  const mailLag = minutesSince(mail.oldestDueAt, now);
  const components: ComponentFigure[] = [
    {
      name: "database",
      status: facts.databaseLatencyMs > SLOW_DATABASE_MS ? "degraded" : "ok",
      latencyMs: round2(facts.databaseLatencyMs),
    },
    { name: "predictions", status: predictionsStatus(assessment), lagMinutes: assessment.predLagMinutes },
    candlesComponent(
      slots,
      facts.states.some(({ modelV }) => modelV !== null),
    ),
    // Only `degraded` without notifications: the hub still reads the signals every second.
    {
      name: "live",
      status: facts.announcedMs === null ? "degraded" : "ok",
      latencyMs: facts.announcedMs && round2(facts.announcedMs),
    },
    {
      name: "mail",
      status: mail.failing || (mailLag !== null && mailLag > MAIL_LATE_MINUTES) ? "degraded" : "ok",
      queued: mail.queued,
    },
    {
      name: "webhooks",
      status: isLate(outbound.webhooksDueAt, now, WEBHOOKS_LATE_MINUTES) ? "degraded" : "ok",
      queued: outbound.webhooks,
    },
    ...(facts.hasTelegram
      ? [
          {
            name: "telegram" as const,
            status: telegramStatus(outbound, now),
            queued: outbound.telegram,
          },
        ]
      : []),
    { name: "worker", status: workerStatus(workerLag), lagMinutes: workerLag },
    {
      name: "rate_limit",
      status: quotaStore?.healthy === false ? "degraded" : "ok",
      latencyMs: quotaStore === null ? 0 : quotaStore.latencyMs && round2(quotaStore.latencyMs),
    },
  ];
  return components.map((component) => ({
    ...component,
    reason: component.status === "ok" ? null : reasonOf(component, slots),
  }));
}

/** Number of late slots that a reason names. */
const SLOTS_NAMED = 3;

function reasonOf(component: ComponentFigure, slots: CandleSlot[]): string | null {
  switch (component.name) {
    case "database":
      return `the database took ${component.latencyMs} ms to answer`;
    case "live":
      return "notifications of the database arrive late";
    case "rate_limit":
      return "the Redis that counts requests does not answer";
    case "predictions":
      return null;
    case "candles": {
      const late = slots.filter(({ isLate }) => isLate);
      if (late.length === 0) return "no slot with an active model has a candle";
      const named = late
        .slice(0, SLOTS_NAMED)
        .map(({ of, ts }) => `${of}: newest candle of ${minuteInUtc(ts)}`);
      const more = late.length > SLOTS_NAMED ? `; ${late.length - SLOTS_NAMED} more slots` : "";
      return named.join("; ") + more;
    }
    case "worker":
      return component.lagMinutes === null
        ? "the worker has not run yet"
        : `the worker was last active ${Math.round(component.lagMinutes)} minutes ago`;
    case "webhooks":
      return `the oldest delivery has waited for more than ${WEBHOOKS_LATE_MINUTES} minutes`;
    default:
      return "messages are refused or wait too long";
  }
}

/**
 * State of the component `predictions`: `ok` if late candles and a refused ledger are the only reasons for the overall
 * state; otherwise the overall state.
 */
function predictionsStatus(assessment: SlotsAssessment): ComponentState {
  const own = assessment.reasons.filter(({ code }) => code !== "candles_lag" && code !== "ledger_refused");
  if (own.length === 0) return "ok";
  return assessment.status === "down" ? "down" : "degraded";
}

/** An active slot with the open time of its newest candle; `lag` in open-market minutes. */
interface CandleSlot {
  of: string;
  ts: Date;
  lag: number;
  isLate: boolean;
}

/** The active slots that have a candle. */
function candleSlots(states: SlotState[], now: Date, thresholds: HealthThresholds): CandleSlot[] {
  return states.flatMap(({ symbol, timeframe, calendar, modelV, lastCandleTs }) => {
    if (modelV === null || lastCandleTs === null) return [];
    const lag = openMinutesBetween(calendar, candleCloseAt(lastCandleTs, timeframe), now);
    const isLate = lag > timeframeMinutes(timeframe) + thresholds.degradedLagMinutes;
    return [{ of: `${symbol} ${timeframe}`, ts: lastCandleTs, lag, isLate }];
  });
}

/**
 * State of the component `candles`. Active slots without any candle are left out. `down`: the candles of all other
 * active slots are late; `degraded`: those of some are, or no active slot has a candle. The lag is the smallest of the
 * counted slots, in open-market minutes; null: no active slot has a candle.
 */
function candlesComponent(slots: CandleSlot[], isActive: boolean): ComponentFigure {
  if (slots.length === 0) return { name: "candles", status: isActive ? "degraded" : "ok", lagMinutes: null };
  return {
    name: "candles",
    status: slots.every(({ isLate }) => isLate)
      ? "down"
      : slots.some(({ isLate }) => isLate)
        ? "degraded"
        : "ok",
    lagMinutes: round2(Math.min(...slots.map(({ lag }) => lag))),
  };
}

function workerStatus(lagMinutes: number | null): ComponentState {
  if (lagMinutes === null || lagMinutes > WORKER_DOWN_MINUTES) return "down";
  return lagMinutes > WORKER_DEGRADED_MINUTES ? "degraded" : "ok";
}

function telegramStatus({ telegramCode, telegramDueAt }: OutboundQueueState, now: Date): ComponentState {
  return telegramCode !== null || isLate(telegramDueAt, now, TELEGRAM_LATE_MINUTES) ? "degraded" : "ok";
}

function isLate(dueAt: Date | null, now: Date, minutes: number): boolean {
  return dueAt !== null && minutesBetween(dueAt, now) > minutes;
}

function minutesSince(at: Date | null, now: Date): number | null {
  return at === null ? null : round2(Math.max(0, minutesBetween(at, now)));
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
