import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ChampionChange } from "@/app/admin/(area)/models/_components/champion-change";
import type { ModelVersion } from "@/db/queries/models";

const model = (modelV: string, nWf: number | null): ModelVersion =>
  ({
    ...{ modelV, nWf, aucWf: 0.6, pfWf: 1.2, classFreq: null },
    trainedAt: new Date("2026-11-01T00:00:00Z"),
  }) as ModelVersion;

it("the figures of an uploaded model are labelled as stated at its registration, not as walk-forward", () => {
  const read = (champion: ModelVersion, former: ModelVersion) =>
    renderToStaticMarkup(<ChampionChange champion={champion} former={former} />)
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ");
  expect(read(model("own", null), model("softmax", 5000))).toContain(
    "walk-forward, n = 5,000 stated at its registration",
  );
  expect(read(model("own-2", null), model("own", null))).not.toContain("walk-forward");
});
