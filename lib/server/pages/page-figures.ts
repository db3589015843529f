import { processWide } from "@/lib/runtime/process-wide";
import type { GaugeReading } from "@/lib/runtime/prometheus";

export interface PageProcessFigures {
  isUp: boolean;
  residentBytes: number;
  heapBytes: number;
  /** Pages being rendered. */
  inFlight: number;
  /** Pages refused since the start because too many waited, or because they waited too long. */
  refused: number;
}

/** State, memory and load of the page process, as the HTTP server sees them. */
export const pageProcessFigures = (): PageProcessFigures =>
  processWide("page-figures", () => ({
    isUp: false,
    residentBytes: 0,
    heapBytes: 0,
    inFlight: 0,
    refused: 0,
  }));

const gauge = (name: string, help: string, value: number): GaugeReading => ({
  name,
  help,
  values: [{ value }],
});

export function pageProcessGauges(): GaugeReading[] {
  const { isUp, residentBytes, heapBytes, inFlight, refused } = pageProcessFigures();
  return [
    gauge("page_process_up", "1 while the page process answers.", isUp ? 1 : 0),
    gauge("page_process_resident_bytes", "Resident memory of the page process.", residentBytes),
    gauge("page_process_heap_bytes", "Heap in use in the page process.", heapBytes),
    gauge("pages_in_flight", "Pages whose head is awaited from the page process.", inFlight),
    gauge("pages_refused", "Pages refused since the start: too many were in flight.", refused),
  ];
}
