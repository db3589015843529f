import { formatNumber } from "@/app/_components/figures";
import { formatInstant } from "@/app/_components/times";
import type { readOverview } from "@/lib/admin/read-overview";
import { formatReason } from "@/lib/health/health-reason";
import { brand } from "@/lib/runtime/brand";

/** The state as plain text for a chat or a ticket. Names slots, feeds and jobs, but no person and no mail address. */
export function overviewSummary(overview: Awaited<ReturnType<typeof readOverview>>, now: Date): string {
  const { health, clients, staleSlots, mail, payments, database } = overview;
  return [
    `${brand().name}, ${formatInstant(now)}: ${health.status}`,
    ...health.reasons.map((reason) => `- ${formatReason(reason)}`),
    ...overview.attention.map((item) => `- ${item.title}: ${item.text}`),
    `EAs: ${formatNumber(clients.online)} online, ${formatNumber(clients.delayed)} delayed, ${formatNumber(clients.offline)} offline, ${formatNumber(clients.never)} never seen`,
    `Stale slots: ${staleSlots.map((slot) => `${slot.symbol} ${slot.timeframe}`).join(", ") || "none"}`,
    `Mail: ${formatNumber(mail.pending)} waiting, ${formatNumber(mail.dead)} failed; payments to review: ${formatNumber(payments.flagged)}`,
    `Database: ${database.connections} of ${database.maxConnections} connections`,
  ].join("\n");
}
