/** What Prometheus reads of this process. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { countedSeries, LATENCY_EDGES_MS } from "./metrics";
import { processWide } from "./process-wide";

/** Figures of one gauge: `help` says what it is and its unit; each value stands under its labels. */
export interface GaugeReading {
  name: string;
  help: string;
  values: { labels?: Record<string, string>; value: number }[];
}

const registry = () =>
  processWide("prometheus", () => {
    const made = new Registry();
    // Processor, memory, event loop lag and garbage collection of Node itself.
    collectDefaultMetrics({ register: made });
    countRequests(made);
    made.registerMetric(new RequestDurations());
    return made;
  });

/**
 * Everything in Prometheus' text format, with what was read for this moment. The polls pay nothing for it: they count in
 * plain arrays (decision 97), which are read here.
 */
export async function prometheusText(readings: readonly GaugeReading[] = []): Promise<string> {
  const ofNow = new Registry();
  for (const { name, help, values } of readings) {
    const gauge = new Gauge({
      name: `sds_${name}`,
      help,
      labelNames: Object.keys(values[0]?.labels ?? {}),
      registers: [ofNow],
    });
    for (const { labels = {}, value } of values) gauge.set(labels, value);
  }
  return Registry.merge([registry(), ofNow]).metrics();
}

function countRequests(register: Registry): void {
  new Counter({
    name: "sds_requests_total",
    help: "Answered requests by route template and class of status.",
    labelNames: ["route", "status"],
    registers: [register],
    collect() {
      this.reset();
      for (const { route, byClass } of countedSeries().routes)
        for (const [status, n] of byClass) if (n > 0) this.inc({ route, status }, n);
    },
  });
  new Counter({
    name: "sds_errors_total",
    help: "Answers by the code of their error.",
    labelNames: ["code"],
    registers: [register],
    collect() {
      this.reset();
      for (const [code, n] of countedSeries().codes) this.inc({ code }, n);
    },
  });
}

const DURATION = "sds_request_duration_seconds";
const DURATION_HELP = "Time to answer by route template, in seconds.";

/** The latencies that were counted already, as a histogram: the library's own would observe each request again. */
class RequestDurations extends Histogram<"route" | "le"> {
  constructor() {
    super({
      name: DURATION,
      help: DURATION_HELP,
      labelNames: ["route"],
      buckets: LATENCY_EDGES_MS.map((edge) => edge / 1_000),
      registers: [],
    });
  }

  /** What the registry writes of a histogram; its types leave it out. */
  async getForPromString() {
    return {
      name: DURATION,
      help: DURATION_HELP,
      type: "histogram",
      values: countedSeries().routes.flatMap(durationsOf),
    };
  }
}

function durationsOf({ route, buckets, sumMs }: ReturnType<typeof countedSeries>["routes"][number]) {
  let upTo = 0;
  const values = LATENCY_EDGES_MS.map((edge, i) => {
    upTo += buckets[i] ?? 0;
    return { metricName: `${DURATION}_bucket`, labels: { route, le: edge / 1_000 }, value: upTo };
  });
  const total = buckets.reduce((sum, n) => sum + n, 0);
  return [
    ...values,
    { metricName: `${DURATION}_bucket`, labels: { route, le: "+Inf" }, value: total },
    { metricName: `${DURATION}_sum`, labels: { route }, value: sumMs / 1_000 },
    { metricName: `${DURATION}_count`, labels: { route }, value: total },
  ];
}
