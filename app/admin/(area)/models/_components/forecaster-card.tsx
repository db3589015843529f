import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { formatDay, formatInstant } from "@/app/_components/times";
import { ActionDialog } from "@/app/admin/_components/action-controls";
import type { ModelVersion, SecondModelFigures } from "@/db/queries/models";
import { adminPaths, paths } from "@/lib/paths";
import type { ForecastSource } from "@/lib/vocabulary";

/** The figures of a model in comparison cover its signals of this many days. */
export const COMPARISON_DAYS = 90;

/** Which kind of model forecasts a slot: none, built-in, the operator's own, or both, with the one that is delivered. */
function forecasterLabel(
  forecastBy: ForecastSource | null,
  champion: Pick<ModelVersion, "isBuiltIn"> | undefined,
): string {
  if (champion === undefined) return "None";
  const shown = champion.isBuiltIn ? "built-in" : "own";
  return forecastBy === "both" ? `Both, ${shown} shown` : shown === "own" ? "Own" : "Built-in";
}

/**
 * The champion of a slot with a button to retire it, the other models with a button to promote each, and the button
 * that starts or stops a second model in comparison.
 */
export function ForecasterCard({
  versions,
  forecastBy,
  secondModels,
}: {
  versions: readonly ModelVersion[];
  forecastBy: ForecastSource | null;
  secondModels: readonly SecondModelFigures[];
}) {
  const champion = versions.find(({ isActive }) => isActive);
  const [first] = versions;
  if (first === undefined) return null;
  const { symbol, timeframe } = first;
  const slot = `${symbol} ${timeframe}`;
  return (
    <Card
      title={`Forecast by: ${forecasterLabel(forecastBy, champion).toLowerCase()}`}
      lead="Subscribers get the signals of one model. A second model can run in comparison: its signals are stored and get outcomes, but are neither delivered nor counted in the record."
      footer={
        <>
          Switch all built-in models on or off:{" "}
          <a className="link" href={adminPaths.thresholds()}>
            Settings, Thresholds
          </a>
          . How your own model sends signals:{" "}
          <a className="link" href={paths.docs("own-model")}>
            Your own model
          </a>
          .
        </>
      }
    >
      <ul className="divide-y border-y text-sm">
        {versions.map((model) => (
          <li key={model.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                <span className="break-all">{model.modelV}</span>
                <Badge tone={model.isActive ? "accent" : "neutral"}>
                  {model.isActive ? "champion" : model.isBuiltIn ? "built-in" : "own"}
                </Badge>
              </p>
              <p className="text-muted">
                {model.isBuiltIn ? "Built-in" : "Own"}, trained {formatDay(model.trainedAt)}
                {describeComparison(secondModels.find(({ modelV }) => modelV === model.modelV))}
              </p>
            </div>
            {model.isActive ? (
              <ActionDialog
                needs="model.retire"
                trigger="Retire"
                triggerVariant="quiet"
                triggerSize="small"
                title={`Retire ${model.modelV}?`}
                consequence={`${slot} has no model until you promote one: no new signal is delivered. Delivered signals do not change.`}
                confirmLabel="Retire"
                action={adminPaths.modelsForm("retire")}
                fields={{ id: String(model.id) }}
              />
            ) : (
              <ActionDialog
                needs="model.promote"
                trigger="Promote"
                triggerVariant="secondary"
                triggerSize="small"
                title={`Promote ${model.modelV} to champion of ${slot}?`}
                consequence={`Its signals are delivered from its next candle on${champion ? ` instead of those of ${champion.modelV}` : ""}. Subscribers are notified of the change.`}
                confirmLabel="Promote"
                action={adminPaths.modelsForm("promote")}
                fields={{ id: String(model.id) }}
              />
            )}
          </li>
        ))}
      </ul>
      {champion && (
        <div className="mt-5">
          <ActionDialog
            needs="model.beside"
            trigger={forecastBy === "both" ? "Stop the comparison" : comparisonLabel(champion)}
            triggerVariant="secondary"
            triggerSize="small"
            title={forecastBy === "both" ? "Stop the comparison?" : `${comparisonLabel(champion)}?`}
            consequence={
              forecastBy === "both"
                ? "Only the champion forecasts from now on."
                : champion.isBuiltIn
                  ? "Signals that your model sends are stored and get outcomes. They are not delivered until you promote it."
                  : "The newest built-in model forecasts each candle as well. It is not trained again while your model is the champion."
            }
            confirmLabel={forecastBy === "both" ? "Stop" : "Compare"}
            action={adminPaths.modelsForm("beside")}
            fields={{ symbol, timeframe, kept: forecastBy === "both" ? "false" : "true" }}
          />
        </div>
      )}
    </Card>
  );
}

const comparisonLabel = ({ isBuiltIn }: ModelVersion) =>
  isBuiltIn ? "Compare with your own model" : "Compare with a built-in model";

function describeComparison(figures: SecondModelFigures | undefined): string {
  if (figures === undefined) return "";
  const { n, nFollowed, wins, meanR, lastTs } = figures;
  const result =
    meanR === null
      ? "no result yet"
      : `${wins} of ${countWithNoun(nFollowed, "trade")} won, mean ${formatNumber(meanR, 2)} R`;
  return `; in comparison: ${countWithNoun(n, "signal")} in ${COMPARISON_DAYS} days, ${result}, newest of ${formatInstant(lastTs)}`;
}
