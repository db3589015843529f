/** The text of /metrics: the counters of the front, and gauges that were read for this request. */
import { Gauge, Registry } from "prom-client";
import { metricsRegistry } from "./metrics";

/** Figures of one gauge: `help` says what it is and its unit; each value stands under its labels. */
export interface GaugeReading {
  name: string;
  help: string;
  values: { labels?: Record<string, string>; value: number }[];
}

export interface MetricsText {
  text: string;
  contentType: string;
}

/** Every metric in Prometheus' text format. Gauges that could not be read are absent, so that no old figure passes for today's. */
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
