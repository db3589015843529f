import { readFileSync } from "node:fs";

/** Resident memory in MB at a moment of a run. */
interface MemorySample {
  atMs: number;
  mb: number;
}

/** Current resident memory of a process in MB of 2^20 bytes. */
export function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb ?? Number.NaN) / 1024;
}

/** Current resident memory of a process's child processes in MB of 2^20 bytes; 0 without any. */
export function childProcessesMb(pid: number): number {
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return started.filter(Boolean).reduce((sum, child) => sum + memoryOfSome(Number(child)), 0);
}

/** Resident memory of a process in MB; 0 if the process has ended. */
function memoryOfSome(pid: number): number {
  try {
    return residentMb(pid) || 0;
  } catch {
    return 0;
  }
}

/** Least-squares slope of samples, in MB an hour. */
function slopeMbAnHour(samples: readonly MemorySample[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  const hours = samples.map(({ atMs }) => atMs / 3_600_000);
  const [atMean, mbMean] = [mean(hours), mean(samples.map(({ mb }) => mb))];
  const above = samples.reduce((sum, { mb }, n) => sum + ((hours[n] ?? 0) - atMean) * (mb - mbMean), 0);
  const below = hours.reduce((sum, hour) => sum + (hour - atMean) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** Number of equal parts into which the printed line divides a run. */
const TOLD_PARTS = 8;

/** Samples resident memory during a run, in MB. */
export class MemorySamples {
  readonly #samples: MemorySample[] = [];
  readonly #startedAt = performance.now();

  constructor(readonly readMb: () => number) {}

  note(): void {
    this.#samples.push({ atMs: performance.now() - this.#startedAt, mb: this.readMb() });
  }

  /** Growth in MB per hour (least squares), without the first quarter of the samples. */
  get slope(): number {
    return slopeMbAnHour(this.#samples.slice(Math.floor(this.#samples.length / 4)));
  }

  get most(): number {
    return Math.max(...this.#samples.map(({ mb }) => mb));
  }

  told(): string {
    const parts = Array.from({ length: TOLD_PARTS + 1 }, (_, n) =>
      this.#samples[Math.round(((this.#samples.length - 1) * n) / TOLD_PARTS)]?.mb.toFixed(0),
    );
    return `${parts.join(", ")} MB at equal intervals, ${this.most.toFixed(0)} MB at most; ${this.slope.toFixed(1)} MB per hour after the first quarter`;
  }
}
