import { formatNumber } from "@/app/_components/figures";

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** `123456789`: `123.5 MB`, in powers of a thousand. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${formatNumber(bytes / 1000 ** power, power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
