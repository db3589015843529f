import { linearScale, paddedDomain } from "@/lib/engine/chart/scale";
import { StretchedPlot } from "./chart-frame";
import { linePath } from "./line-path";

/** A small inline chart. `label` describes it for screen readers; a missing value breaks the line. */
export function Sparkline({
  values,
  label,
  width = 96,
  height = 24,
}: {
  values: readonly (number | null)[];
  label: string;
  width?: number | "100%";
  height?: number;
}) {
  const domain = paddedDomain(
    values.filter((value) => value !== null),
    { air: 0.1 },
  );
  const y = linearScale(domain, [height - 2, 2]);
  const x = linearScale([0, Math.max(1, values.length - 1)], [0, 1000]);
  return (
    <svg width={width} height={height} role="img" aria-label={label} className="inline-block align-middle">
      <StretchedPlot height={height}>
        <path
          d={linePath(values.map((value, index) => ({ x: x(index), y: value === null ? null : y(value) })))}
          className="chart-line"
        />
      </StretchedPlot>
    </svg>
  );
}
