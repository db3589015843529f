/** The text of /metrics: the counters of this process and the given gauges. */
import { Gauge, Registry } from "prom-client";
import { metricsRegistry } from "./metrics";

/** One gauge. `help` states its meaning and unit; each of `values` has its own labels. */
export interface GaugeReading {
  name: string;
  help: string;
  values: { labels?: Record<string, string>; value: number }[];
}

export interface MetricsText {
  text: string;
  contentType: string;
}

/**
 * This process' counters and the given gauges in Prometheus' text format. A gauge that could not be read must be
 * missing from `readings`, so that no stale figure appears.
 */
export async function prometheusText(readings: readonly GaugeReading[] = []): Promise<MetricsText> {
  const moment = new Registry();
  for (const { name, help, values } of readings) {
    const gauge = new Gauge({
      name: `sds_${name}`,
      help,
      labelNames: Object.keys(values[0]?.labels ?? {}),
      registers: [moment],
    });
    for (const { labels = {}, value } of values) gauge.set(labels, value);
  }
  const counted = metricsRegistry();
  const text = `${await counted.metrics()}\n${await moment.metrics()}`;
  return { text, contentType: counted.contentType };
}
