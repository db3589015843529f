import { readFileSync } from "node:fs";

/** Memory at a moment of a run. */
export interface MemorySample {
  atMs: number;
  mb: number;
}

/** What a process holds in memory now, in MB of 2^20 bytes. */
export function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb ?? Number.NaN) / 1024;
}

/** The straight line of least squares through some samples, in MB an hour. */
export function slopeMbAnHour(samples: readonly MemorySample[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  const hours = samples.map(({ atMs }) => atMs / 3_600_000);
  const [atMean, mbMean] = [mean(hours), mean(samples.map(({ mb }) => mb))];
  const above = samples.reduce((sum, { mb }, n) => sum + ((hours[n] ?? 0) - atMean) * (mb - mbMean), 0);
  const below = hours.reduce((sum, hour) => sum + (hour - atMean) ** 2, 0);
  return below === 0 ? 0 : above / below;
}
