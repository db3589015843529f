/** What Prometheus reads of this port: of the one process that serves it, or of all of them together. */
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  openMetricsContentType,
  prometheusContentType,
  Registry,
  type RegistryContentType,
} from "prom-client";
import { groupBy } from "./group-by";
import { countedSeries, type Exemplar, exemplars, LATENCY_EDGES_MS } from "./metrics";
import { processWide } from "./process-wide";
import { inEach, inEachProcess } from "./processes";

/** Figures of one gauge: `help` says what it is and its unit; each value stands under its labels. */
export interface GaugeReading {
  name: string;
  help: string;
  values: { labels?: Record<string, string>; value: number }[];
}

export interface MetricsText {
  text: string;
  contentType: RegistryContentType;
}

/** Processor, memory, event loop lag and garbage collection of Node itself. */
const ofNode = () =>
  processWide("prometheus", () => {
    const made = new Registry();
    collectDefaultMetrics({ register: made });
    return made;
  });

const ofNodeInEach = inEachProcess("metrics-of-node", () => ofNode().getMetricsAsJSON());
const countedInEach = inEach("metrics-counted", countedSeries);
const exemplarsInEach = inEach("metrics-exemplars", exemplars);

/**
 * Everything in Prometheus' text format, with what was read for this moment; in that of OpenMetrics, with the number of a
 * request beside each bucket of times, when the caller's Accept names it. The polls pay nothing for it: they count in
 * plain arrays (decision 97), which are read here.
 */
export async function prometheusText(
  readings: readonly GaugeReading[] = [],
  accept: string | null = null,
): Promise<MetricsText> {
  const isOpen = /\bapplication\/openmetrics-text\b/i.test(accept ?? "");
  const [node, counted, examples] = await Promise.all([
    ofNodeInEach(),
    countedInEach(),
    isOpen ? exemplarsInEach() : [],
  ]);
  const contentType = isOpen ? openMetricsContentType : prometheusContentType;
  const register = AggregatorRegistry.aggregate<RegistryContentType>(
    node.map((metrics) => metrics.map((metric) => named(metric, isOpen))),
  );
  register.setContentType(contentType);
  registerReadings(register, readings);
  registerRequests(
    register,
    counted.flatMap(({ routes }) => routes),
    examples.flat(),
  );
  registerErrors(
    register,
    counted.flatMap(({ codes }) => [...codes]),
  );
  return { text: await register.metrics(), contentType };
}

type NodeMetric = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];

/**
 * The start is that of the oldest process, which the library would leave out. In OpenMetrics the end of a counter's name
 * belongs to its values, and the library puts it there.
 */
function named(metric: NodeMetric, isOpen: boolean): NodeMetric {
  const aggregator = metric.aggregator === "omit" ? "min" : metric.aggregator;
  const isCounter = String(metric.type) === "counter";
  return {
    ...metric,
    aggregator,
    name: isOpen && isCounter ? metric.name.replace(/_total$/, "") : metric.name,
  };
}

type Register = Registry<RegistryContentType>;

function registerReadings(register: Register, readings: readonly GaugeReading[]): void {
  for (const { name, help, values } of readings) {
    const gauge = new Gauge({
      name: `sds_${name}`,
      help,
      labelNames: Object.keys(values[0]?.labels ?? {}),
      registers: [register],
    });
    for (const { labels = {}, value } of values) gauge.set(labels, value);
  }
}

type RouteSeries = ReturnType<typeof countedSeries>["routes"][number];

function registerRequests(register: Register, routes: RouteSeries[], examples: Exemplar[]): void {
  const requests = new Counter({
    name: "sds_requests_total",
    help: "Answered requests by route template and class of status.",
    labelNames: ["route", "status"],
    registers: [register],
  });
  for (const { route, byClass } of routes)
    for (const [status, n] of byClass) if (n > 0) requests.inc({ route, status }, n);
  register.registerMetric(new RequestDurations(routes, examples));
}

function registerErrors(register: Register, codes: [string, number][]): void {
  const errors = new Counter({
    name: "sds_errors_total",
    help: "Answers by the code of their error.",
    labelNames: ["code"],
    registers: [register],
  });
  for (const [code, n] of codes) errors.inc({ code }, n);
}

const DURATION = "sds_request_duration_seconds";
const DURATION_HELP = "Time to answer by route template, in seconds.";

/** The latencies that were counted already, as a histogram: the library's own would observe each request again. */
class RequestDurations extends Histogram<"route" | "le"> {
  readonly #byRoute: Map<string, RouteSeries[]>;
  /** The newest of each bucket. */
  readonly #examples: Map<string, Exemplar>;

  constructor(routes: RouteSeries[], examples: Exemplar[]) {
    super({
      name: DURATION,
      help: DURATION_HELP,
      labelNames: ["route"],
      buckets: LATENCY_EDGES_MS.map((edge) => edge / 1_000),
      registers: [],
    });
    this.#byRoute = groupBy(routes, ({ route }) => route);
    this.#examples = new Map(
      examples.toSorted((a, b) => a.atMs - b.atMs).map((one) => [`${one.bucket} ${one.route}`, one]),
    );
  }

  /** What the registry writes of a histogram; its types leave it out. */
  async getForPromString() {
    return {
      name: DURATION,
      help: DURATION_HELP,
      type: "histogram",
      values: [...this.#byRoute].flatMap(([route, parts]) => this.#ofRoute(route, parts)),
    };
  }

  #ofRoute(route: string, parts: RouteSeries[]) {
    let upTo = 0;
    const edges = [...LATENCY_EDGES_MS.map((edge) => edge / 1_000), "+Inf"];
    const values = edges.map((le, i) => {
      for (const { buckets } of parts) upTo += buckets[i] ?? 0;
      const example = this.#examples.get(`${i} ${route}`);
      return {
        metricName: `${DURATION}_bucket`,
        labels: { route, le },
        value: upTo,
        ...(example && { exemplar: writeExemplar(example) }),
      };
    });
    const sumMs = parts.reduce((sum, part) => sum + part.sumMs, 0);
    return [
      ...values,
      { metricName: `${DURATION}_sum`, labels: { route }, value: sumMs / 1_000 },
      { metricName: `${DURATION}_count`, labels: { route }, value: upTo },
    ];
  }
}

const writeExemplar = ({ requestId, ms, atMs }: Exemplar) => ({
  labelSet: { request_id: requestId },
  value: ms / 1_000,
  timestamp: atMs / 1_000,
});
