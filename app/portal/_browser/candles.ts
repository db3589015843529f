/**
 * Interactive candle charts over their static pictures. The picture is shown in print, without JavaScript, and until
 * the pointer or the focus first reaches it; only then is the drawing library loaded.
 */
import type { CandleLabel, DrawnCandles } from "@/app/_components/chart/candle-drawing";

type Chart = ReturnType<typeof import("@/app/_components/chart/candle-drawing").drawCandles>;

/** The drawn charts by their element; null while the library is being loaded. */
const drawn = new Map<Element, Chart | null>();

const CHART = "[data-candles]";
const ZOOM = 1.4;

/** What each key does in a chart. Returns the new index of the crosshair, or undefined if it does not move. */
const KEYS: Record<string, (chart: Chart) => number | null | undefined> = {
  ArrowLeft: (chart) => chart.step(-1),
  ArrowRight: (chart) => chart.step(1),
  PageUp: (chart) => chart.step(-10),
  PageDown: (chart) => chart.step(10),
  "+": (chart) => void chart.zoom(1 / ZOOM),
  "=": (chart) => void chart.zoom(1 / ZOOM),
  "-": (chart) => void chart.zoom(ZOOM),
  Home: (chart) => void chart.reset(),
  End: (chart) => void chart.end(),
};

const BUTTONS: Record<string, (chart: Chart) => void> = {
  out: (chart) => chart.zoom(ZOOM),
  in: (chart) => chart.zoom(1 / ZOOM),
  all: (chart) => chart.reset(),
};

const chartOf = ({ target }: Event) =>
  target instanceof Element ? target.closest<HTMLElement>(CHART) : null;
const dataOf = (element: HTMLElement): DrawnCandles => JSON.parse(element.dataset.candles ?? "null");

/** Draws each chart when the pointer or the focus first reaches its picture, and handles its keys and buttons. */
export function enableCandleCharts(): void {
  // A pointer that is already over the picture fires no enter event, so moves count too.
  for (const type of ["pointerover", "pointermove", "focusin"])
    document.addEventListener(type, (event) => {
      const element = chartOf(event);
      if (element && !drawn.has(element)) void draw(element);
    });
  document.addEventListener("keydown", (event) => {
    const element = chartOf(event);
    const chart = element && drawn.get(element);
    const act = KEYS[event.key];
    if (!chart || !act) return;
    event.preventDefault();
    const index = act(chart);
    if (index !== undefined) describe(element, index);
  });
  document.addEventListener("click", (event) => {
    const element = chartOf(event);
    const chart = element && drawn.get(element);
    const button =
      event.target instanceof Element ? event.target.closest<HTMLElement>("[data-candles-zoom]") : null;
    if (chart && button) BUTTONS[button.dataset.candlesZoom ?? ""]?.(chart);
  });
}

async function draw(element: HTMLElement): Promise<void> {
  const host = element.querySelector<HTMLElement>("[role=application]");
  const data = dataOf(element);
  if (!host || data.candles.length === 0) return;
  drawn.set(element, null);
  try {
    const { drawCandles } = await import("@/app/_components/chart/candle-drawing");
    // A refresh may have replaced the picture meanwhile.
    if (!element.isConnected) return void drawn.delete(element);
    drawn.set(
      element,
      drawCandles(host, dataOf(element), (index) => describe(element, index)),
    );
    element.dataset.candlesDrawn = "";
    describe(element, null);
  } catch {
    // The import can fail, for example during a restart: the picture stays, and the next event tries again.
    drawn.delete(element);
  }
}

/** Writes the candle at an index, or the newest if it is null, into the line of text over the top of the chart. */
function describe(element: HTMLElement, index: number | null): void {
  const { labels } = dataOf(element);
  const line = element.querySelector("[data-candles-label]");
  const label = labels.at(index ?? -1);
  if (line && label) line.replaceChildren(...readout(label));
}

function readout({ time, open, high, low, close, signal }: CandleLabel): (Node | string)[] {
  const emphasised = (text: string, className: string) =>
    Object.assign(document.createElement("span"), { className, textContent: text });
  return [
    emphasised(time, "text-ink"),
    ` O ${open} H ${high} L ${low} C ${close}`,
    ...(signal ? [emphasised(` ${signal}`, "font-medium text-ink")] : []),
  ];
}

/**
 * Keeps interactive charts while a refresh replaces the page. `keeps` says whether a chart's element stays; `drawAgain`
 * draws the charts whose candles have changed.
 */
export function preserveCandleCharts() {
  const changed: HTMLElement[] = [];
  return {
    keeps(part: HTMLElement, next: HTMLElement): boolean {
      if (!drawn.has(part)) return false;
      if (part.dataset.candles === next.dataset.candles) return true;
      drawn.get(part)?.remove();
      drawn.delete(part);
      changed.push(part);
      return false;
    },
    drawAgain(): void {
      for (const [element, chart] of drawn)
        if (!element.isConnected) {
          chart?.remove();
          drawn.delete(element);
        }
      for (const element of changed) void draw(element);
    },
  };
}
